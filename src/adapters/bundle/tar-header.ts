import { BundleRefusal } from './bundle-refusal.ts'

export const TAR_BLOCK = 512

export type TarHeader = {
  readonly path: string
  readonly size: number
  readonly kind: TarKind
}

/** `name` and `attributes` say something about the entry that follows. */
export type TarKind = 'file' | 'folder' | 'name' | 'attributes' | 'general-attributes'

const KINDS: Readonly<Record<string, TarKind>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '5': 'folder',
  L: 'name',
  x: 'attributes',
  g: 'general-attributes',
}

const REFUSED_KINDS: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  K: 'a link with a long name',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
  S: 'a sparse file',
}

/** Where each field of a ustar header lies. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  kind: [156, 1],
  magic: [257, 6],
  version: [263, 2],
  prefix: [345, 155],
} as const

export function isEndBlock(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0)
}

export function decodeTarHeader(block: Uint8Array): TarHeader {
  if (decodeOctal(block, FIELDS.checksum) !== computeChecksum(block)) {
    throw new BundleRefusal('the archive is damaged: the checksum of a tar header is wrong')
  }
  const name = decodeText(block, FIELDS.name)
  // GNU's own format keeps other things where ustar has the prefix.
  const isUstar = decodeText(block, FIELDS.magic) === 'ustar'
  const prefix = isUstar ? decodeText(block, FIELDS.prefix) : ''
  const path = prefix === '' ? name : `${prefix}/${name}`
  const letter = String.fromCharCode(block[FIELDS.kind[0]] ?? 0)
  const kind = KINDS[letter]
  if (kind === undefined)
    throw new BundleRefusal(`the archive has ${REFUSED_KINDS[letter] ?? 'an entry of unknown kind'}`)
  return { path, kind, size: decodeOctal(block, FIELDS.size) }
}

type Field = readonly [start: number, length: number]

function decodeText(block: Uint8Array, [start, length]: Field): string {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end))
}

/** Sizes from 8 GiB on are written in binary; no bundle has such a file. */
function decodeOctal(block: Uint8Array, field: Field): number {
  const text = decodeText(block, field).trim()
  if (!/^[0-7]{0,12}$/.test(text)) throw new BundleRefusal('the archive is damaged: a number in a tar header is wrong')
  return text === '' ? 0 : Number.parseInt(text, 8)
}

/** The sum of all bytes, with the checksum's own field taken as blanks. */
function computeChecksum(block: Uint8Array): number {
  const [start, length] = FIELDS.checksum
  let sum = 0
  for (let index = 0; index < TAR_BLOCK; index += 1) {
    sum += index >= start && index < start + length ? 0x20 : (block[index] ?? 0)
  }
  return sum
}

export type TarFile = { readonly path: string; readonly size: number; readonly mtimeMs: number }

/** The header of a file, with one before it that carries a path too long or not in ASCII. */
export function encodeTarHeader(file: TarFile): Uint8Array {
  const { path, size, mtimeMs } = file
  const isPlain = path.length <= FIELDS.name[1] && /^[\x20-\x7e]*$/.test(path)
  if (isPlain) return encodeBlock({ name: path, size, mtimeMs, letter: '0' })
  const record = Buffer.from(encodePathRecord(path))
  return Buffer.concat([
    encodeBlock({ name: 'pax-header', size: record.length, mtimeMs, letter: 'x' }),
    record,
    new Uint8Array(padding(record.length)),
    encodeBlock({ name: 'pax-file', size, mtimeMs, letter: '0' }),
  ])
}

export function padding(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK
}

/** `LENGTH path=PATH\n`, where the length counts itself. */
function encodePathRecord(path: string): string {
  const rest = ` path=${path}\n`
  const bytes = Buffer.byteLength(rest)
  const digits = String(bytes + String(bytes).length).length
  return `${bytes + digits}${rest}`
}

function encodeBlock(entry: {
  readonly name: string
  readonly size: number
  readonly mtimeMs: number
  readonly letter: string
}): Uint8Array {
  const block = Buffer.alloc(TAR_BLOCK)
  const put = ([start, length]: Field, text: string): void => void block.write(text, start, length, 'latin1')
  const putOctal = (field: Field, value: number): void => put(field, value.toString(8).padStart(field[1] - 1, '0'))
  put(FIELDS.name, entry.name)
  putOctal(FIELDS.mode, 0o644)
  putOctal(FIELDS.uid, 0)
  putOctal(FIELDS.gid, 0)
  putOctal(FIELDS.size, entry.size)
  putOctal(FIELDS.mtime, Math.max(0, Math.floor(entry.mtimeMs / 1000)))
  put(FIELDS.kind, entry.letter)
  put(FIELDS.magic, 'ustar\0')
  put(FIELDS.version, '00')
  put(FIELDS.checksum, `${computeChecksum(block).toString(8).padStart(6, '0')}\0 `)
  return block
}
