import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { refusePath } from '#/core/bundle-path.ts'
import type { BundleLimits } from '#/ports/bundle.ts'
import type { BundleFiles } from './bundle-files.ts'
import { BundleRefusal } from './bundle-refusal.ts'

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
  return { sizes, chunks: (path) => readFile(join(root, path)), close: async () => {} }
}

/** Not through a link that took the file's place since it was looked at. */
async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })) {
      yield chunk as Uint8Array
    }
  } finally {
    await handle.close()
  }
}
