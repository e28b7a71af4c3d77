import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runOrThrow } from '#test/cluster/command.ts'

const DISK_BYTES = 1024 * 1024

export type SmallDisk = AsyncDisposable & {
  readonly path: string
  /** What somebody else keeps on it. */
  readonly other: string
}

/** A disk with room for a few deaths. It needs root. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk> {
  const path = join(folder, 'disk')
  await mkdir(path)
  await runOrThrow('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', path])
  const other = join(path, 'of-somebody-else')
  await writeFile(other, Buffer.alloc(DISK_BYTES - 64 * 1024))
  return {
    path,
    other,
    [Symbol.asyncDispose]: async () => {
      await runOrThrow('umount', [path])
    },
  }
}
