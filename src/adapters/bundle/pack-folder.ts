import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { encodeTarHeader, padding, TAR_BLOCK } from './tar-header.ts'
import type { TarFile } from './tar-header.ts'

/** The files in the order given, as `.tar.gz`. The same files give the same bytes. */
export async function packFolder(
  folder: string,
  archive: string,
  files: readonly TarFile[],
  signal: AbortSignal,
): Promise<void> {
  await pipeline(tarChunks(folder, files), createGzip(), createWriteStream(archive, { mode: 0o600 }), { signal })
}

async function* tarChunks(folder: string, files: readonly TarFile[]): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    yield encodeTarHeader(file)
    for await (const chunk of createReadStream(join(folder, file.path))) yield chunk as Uint8Array
    yield new Uint8Array(padding(file.size))
  }
  yield new Uint8Array(2 * TAR_BLOCK)
}
