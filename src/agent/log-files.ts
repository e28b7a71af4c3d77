import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** The log of one run of a container: the current file, and the previous one if the kubelet rotated it. */
export type LogChain = { current: OpenLog; before: OpenLog | null }
export type OpenLog = { readonly handle: FileHandle; readonly inode: bigint }

const LINE_FEED = 0x0a

/** Null if it is missing or a link: a link could lead us to other files of the node. */
export async function openLog(path: string): Promise<OpenLog | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return null
  const found = await handle.stat({ bigint: true }).catch(() => null)
  if (found !== null && found.isFile()) return { handle, inode: found.ino }
  await handle.close()
  return null
}

export async function inodeAt(path: string): Promise<bigint | null> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found === null ? null : found.ino
}

/** The newest rotated file that is not compressed yet. */
export async function turnedOver(folder: string, run: number): Promise<OpenLog | null> {
  const names = await readdir(folder).catch(() => [])
  const pattern = new RegExp(`^${run}\\.log\\.\\d{8}-\\d{6}$`)
  const newest = names
    .filter((name) => pattern.test(name))
    .toSorted()
    .at(-1)
  return newest === undefined ? null : openLog(join(folder, newest))
}

/** The tail of both files together, starting at a line start. */
export async function tailOfChain(
  { current, before }: LogChain,
  most: number,
): Promise<{ readonly raw: string; readonly cut: boolean }> {
  const end = await readTail(current.handle, most)
  const left = most - end.bytes.length
  if (end.cut || before === null || left <= 0) return { raw: fromLine(end.bytes, end.cut), cut: end.cut }
  const start = await readTail(before.handle, left)
  // Older rotated files are not kept, so this may not be the beginning.
  return { raw: fromLine(start.bytes, start.cut) + end.bytes.toString('utf8'), cut: true }
}

function fromLine(bytes: Buffer, cut: boolean): string {
  return bytes.toString('utf8', cut ? bytes.indexOf(LINE_FEED) + 1 : 0)
}

async function readTail(handle: FileHandle, most: number): Promise<{ readonly bytes: Buffer; readonly cut: boolean }> {
  const { size } = await handle.stat()
  const from = Math.max(0, size - most)
  const buffer = Buffer.alloc(size - from)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, from + length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return { bytes: buffer.subarray(0, length), cut: from > 0 }
}

export async function closeChain({ current, before }: LogChain): Promise<void> {
  await current.handle.close().catch(() => {})
  await before?.handle.close().catch(() => {})
}
