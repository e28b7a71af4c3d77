import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { refusePath } from '#/core/evidence/bundle-path.ts'
import type { BundleLimits } from '#/ports/bundle.ts'
import type { BundleFiles } from './bundle-files.ts'
import { BundleRefusal } from './bundle-refusal.ts'

const CHUNK_BYTES = 256 * 1024
const GROWN_BYTES = 1024

/** The files of a folder, by their sizes; contents are read when they are asked for. */
export async function openFolderFiles(root: string, limits: BundleLimits, signal: AbortSignal): Promise<BundleFiles> {
  const sizes = new Map<string, number>()
  const folders = ['']
  let bytes = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted()
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      const refused = refusePath(path)
      if (refused !== null) throw new BundleRefusal(`the folder has ${refused}`)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) {
        const { size } = await lstat(join(root, path))
        bytes += size
        sizes.set(path, size)
      } else
        throw new BundleRefusal(`the folder has ${entry.isSymbolicLink() ? 'a symbolic link' : 'a device'}: ${path}`)
      if (sizes.size > limits.files) throw new BundleRefusal(`it holds more than ${limits.files} files`)
      if (bytes > limits.totalBytes) throw new BundleRefusal(`it holds more than ${limits.totalBytes} bytes`)
    }
  }
  return {
    sizes,
    chunks: (path, buffer) => readFile(join(root, path), sizes.get(path) ?? 0, buffer),
    close: async () => {},
  }
}

/** Not through a link that took the file's place since it was looked at. */
async function* readFile(path: string, size: number, buffer: Buffer | undefined): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    for (let left = size; ; left = Math.max(0, left - CHUNK_BYTES)) {
      // Of the size of what is left: a thousand small files must not take the room of large ones. It may have grown.
      const room = buffer ?? Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(left, GROWN_BYTES)))
      const { bytesRead } = await handle.read(room, 0, room.length, null)
      if (bytesRead === 0) return
      yield room.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}
