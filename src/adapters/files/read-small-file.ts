import { open, stat } from 'node:fs/promises'

export type SmallFile =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: string }

/** Reads no more than the limit, also of a device; a pipe that a shell put under /dev/fd is read like a file. */
export async function readSmallFile(path: string, maxBytes: number): Promise<SmallFile> {
  try {
    // Opening one waits for somebody who writes, and not even Ctrl-C ends that.
    if ((await stat(path)).isFIFO() && !path.startsWith('/dev/')) {
      return { kind: 'unreadable', why: 'is a named pipe, not a file' }
    }
    const bytes = await readAtMost(path, maxBytes + 1)
    if (bytes.length > maxBytes) return { kind: 'unreadable', why: `is larger than ${maxBytes} bytes` }
    return { kind: 'read', text: bytes.toString('utf8') }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return code === 'ENOENT' ? { kind: 'absent' } : { kind: 'unreadable', why: `cannot be read (${code})` }
  }
}

async function readAtMost(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await open(path)
  const buffer = Buffer.alloc(maxBytes)
  let length = 0
  while (length < maxBytes) {
    const { bytesRead } = await file.read(buffer, length, maxBytes - length, null)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}
