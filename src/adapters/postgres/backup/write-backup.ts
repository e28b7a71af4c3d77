import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'

/** Most of a store is compressed evidence in hex: no piece of it repeats, and the search for such pieces halves the speed. */
const COMPRESSION = { level: 1, strategy: constants.Z_RLE }

export type BackupTarget =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly write: (chunk: Uint8Array) => void }

/** A file appears under its name when it is complete and on the disk; otherwise nothing is left. Answers its size. */
export async function writeBackup(
  target: BackupTarget,
  tar: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<number> {
  if (target.kind === 'stream') return await compress(tar, async (chunk) => target.write(chunk), signal)
  const temporary = `${target.path}.partial-${randomBytes(6).toString('hex')}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    const bytes = await compress(tar, async (chunk) => await file.writeFile(chunk), signal)
    await file.sync()
    await file.close()
    await rename(temporary, target.path)
    await syncFolder(dirname(target.path))
    return bytes
  } finally {
    await file.close().catch(() => undefined)
    await rm(temporary, { force: true })
  }
}

async function compress(
  tar: AsyncIterable<Uint8Array>,
  write: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0
  const sink = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      await write(chunk)
      bytes += chunk.length
    }
  }
  await pipeline(tar, createGzip(COMPRESSION), sink, { signal })
  return bytes
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
