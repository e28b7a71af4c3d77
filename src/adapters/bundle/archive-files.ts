import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAbortSignal, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { refusePath } from '#/core/evidence/bundle-path.ts'
import type { BundleLimits } from '#/ports/bundle.ts'
import type { BundleFiles } from './bundle-files.ts'
import { BundleRefusal } from './bundle-refusal.ts'
import { readTar } from './read-tar.ts'

const CHUNK_BYTES = 256 * 1024

/**
 * Unpacks the archive once into a nameless file, from which files are then read at will: memory stays small, and nothing
 * is left behind however the program ends.
 */
export async function openArchiveFiles(path: string, limits: BundleLimits, signal: AbortSignal): Promise<BundleFiles> {
  const spool = await openSpool()
  try {
    const places = await unpack(gunzip(path, limits.totalBytes, signal), spool, limits)
    return {
      sizes: new Map([...places].map(([name, place]) => [name, place.size])),
      chunks: (name, buffer) => readPlace(spool, places.get(name) ?? { offset: 0, size: 0 }, buffer),
      close: () => spool.close(),
    }
  } catch (error) {
    await spool.close()
    throw error
  }
}

async function openSpool(): Promise<FileHandle> {
  const path = join(tmpdir(), `signalbox-bundle-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path)
  return handle
}

async function* gunzip(path: string, totalBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES })
  // The error reaches the reader of `unzip`; the callback is there because pipeline wants one.
  pipeline(addAbortSignal(signal, createReadStream(path)), unzip, () => undefined)
  let bytes = 0
  for await (const chunk of unzip as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > totalBytes) throw new BundleRefusal(`it holds more than ${totalBytes} bytes`)
    yield chunk
  }
}

type Place = { readonly offset: number; readonly size: number }

async function unpack(
  chunks: AsyncIterable<Uint8Array>,
  spool: FileHandle,
  limits: BundleLimits,
): Promise<ReadonlyMap<string, Place>> {
  const places = new Map<string, Place>()
  let offset = 0
  for await (const entry of readTar(chunks)) {
    const name = entry.path.replace(/^(?:\.\/)+/, '')
    const refused = refusePath(name)
    if (refused !== null) throw new BundleRefusal(`the archive has ${refused}`)
    if (places.has(name)) throw new BundleRefusal(`the archive has two files of one name: ${name}`)
    if (places.size >= limits.files) throw new BundleRefusal(`it holds more than ${limits.files} files`)
    places.set(name, { offset, size: entry.size })
    // A file over the limit is known by its size and never asked for.
    if (entry.size > Math.max(limits.fileBytes, limits.listBytes)) continue
    for await (const piece of entry.body) {
      await spool.write(piece, 0, piece.length, offset)
      offset += piece.length
    }
  }
  return places
}

async function* readPlace(spool: FileHandle, place: Place, buffer: Buffer | undefined): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < place.size;) {
    const left = place.size - done
    const room = buffer ?? Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left))
    const { bytesRead } = await spool.read(room, 0, Math.min(room.length, left), place.offset + done)
    if (bytesRead === 0) throw new BundleRefusal('the unpacked archive is cut')
    done += bytesRead
    yield room.subarray(0, bytesRead)
  }
}
