import { BundleRefusal } from './bundle-refusal.ts'
import { decodeTarHeader, isEndBlock, padding, TAR_BLOCK } from './tar-header.ts'

export type TarEntry = {
  readonly path: string
  readonly size: number
  /** To be read before the next entry is asked for, or not at all. */
  readonly body: AsyncIterable<Uint8Array>
}

const MAX_ATTRIBUTE_BYTES = 64 * 1024

/** The files of a tar stream (ustar, pax and GNU long names). Reads the stream to its end, so that its checksum counts. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = createByteReader(chunks)
  let attributes: Attributes = {}
  for (;;) {
    const block = await bytes.exactly(TAR_BLOCK)
    if (isEndBlock(block)) break
    const header = decodeTarHeader(block)
    if (header.kind === 'file' || header.kind === 'folder') {
      const path = attributes.path ?? header.path
      const size = attributes.size ?? header.size
      attributes = {}
      const body = bytes.upTo(size)
      if (header.kind === 'file') yield { path, size, body }
      await drain(body)
      await bytes.exactly(padding(size))
    } else {
      if (header.size > MAX_ATTRIBUTE_BYTES) throw new BundleRefusal('the archive has a header that is too large')
      const text = Buffer.from(await bytes.exactly(header.size)).toString('utf8')
      await bytes.exactly(padding(header.size))
      if (header.kind === 'name') attributes = { ...attributes, path: text.replace(/\0.*$/s, '') }
      if (header.kind === 'attributes') attributes = { ...attributes, ...parseAttributes(text) }
    }
  }
  await bytes.rest()
}

type Attributes = { readonly path?: string; readonly size?: number }

/** `LENGTH KEY=VALUE\n`, the length in bytes and counting itself. */
function parseAttributes(text: string): Attributes {
  const records = new Map<string, string>()
  let bytes = Buffer.from(text)
  while (bytes.length > 0) {
    const [, length = ''] = /^(\d{1,6}) /.exec(bytes.subarray(0, 8).toString('latin1')) ?? []
    const end = Number(length)
    if (end <= length.length || end > bytes.length)
      throw new BundleRefusal('the archive is damaged: a pax header is wrong')
    const [key = '', ...value] = bytes
      .subarray(length.length + 1, end - 1)
      .toString('utf8')
      .split('=')
    records.set(key, value.join('='))
    bytes = bytes.subarray(end)
  }
  return readAttributes(records)
}

function readAttributes(records: ReadonlyMap<string, string>): Attributes {
  if ([...records.keys()].some((key) => key.startsWith('GNU.sparse'))) {
    throw new BundleRefusal('the archive has a sparse file')
  }
  const path = records.get('path')
  const size = records.get('size')
  if (size !== undefined && !/^\d{1,15}$/.test(size)) {
    throw new BundleRefusal('the archive is damaged: a size in a pax header is wrong')
  }
  return { ...(path === undefined ? {} : { path }), ...(size === undefined ? {} : { size: Number(size) }) }
}

function createByteReader(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()

  const fill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const next = await iterator.next()
      if (next.done === true) return false
      rest = next.value
    }
    return true
  }

  async function* upTo(length: number): AsyncGenerator<Uint8Array> {
    let left = length
    while (left > 0) {
      if (!(await fill())) throw new BundleRefusal('the archive is cut: the tar has no end')
      const piece = rest.subarray(0, left)
      rest = rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  return {
    upTo,
    exactly: async (length: number): Promise<Uint8Array> => {
      const pieces: Uint8Array[] = []
      for await (const piece of upTo(length)) pieces.push(piece)
      return Buffer.concat(pieces)
    },
    rest: async (): Promise<void> => {
      rest = new Uint8Array()
      while ((await iterator.next()).done !== true);
    },
  }
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}
