import { mkdir, open, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '#/adapters/files/sync-folder.ts'
import { readMark } from './encode-write.ts'
import { frame, FRAME_HEADER_BYTES } from './frame.ts'
import { drawSalt, printSegmentName } from './segment.ts'
import type { Segment } from './segment.ts'

/** A death with short logs. */
const PROBE_BYTES = 16 * 1024
const BATCH_BYTES = 16 * 1024 * 1024

export type WriterOptions = {
  readonly folder: string
  readonly owner: string
  readonly lastNumber: number
  /** Then a new segment is begun. */
  readonly segmentBytes: number
}

type Waiting = {
  readonly payload: Buffer
  readonly recordedAt: number
  readonly done: (result: 'kept' | { readonly why: string }) => void
}

type Open = { readonly handle: FileHandle; readonly salt: number; readonly segment: Segment; readonly inode: number }

/** Appends records to the newest segment. All that arrive during a sync share the next one. */
export class SegmentWriter {
  readonly #options: WriterOptions
  readonly #sealed: (segment: Segment) => void
  #number: number
  #open: Open | null = null
  #waiting: Waiting[] = []
  #flushing: Promise<void> | null = null

  /** `sealed` gets each segment to which nothing is appended any more. */
  constructor(options: WriterOptions, sealed: (segment: Segment) => void) {
    this.#options = options
    this.#sealed = sealed
    this.#number = options.lastNumber
  }

  /** The segment that is appended to. */
  get current(): Segment | null {
    return this.#open?.segment ?? null
  }

  append(payload: Buffer, recordedAt: number): Promise<'kept' | { readonly why: string }> {
    return new Promise((resolve) => {
      this.#waiting.push({ payload, recordedAt, done: resolve })
      this.#flushing ??= this.#flush()
    })
  }

  /** Begins a new segment with the next record. */
  async seal(): Promise<void> {
    while (this.#flushing !== null) await this.#flushing
    await this.#close()
  }

  /** Null where a new segment could be written; otherwise why not. */
  async probe(): Promise<string | null> {
    await this.seal()
    try {
      const { handle, segment } = await this.#begin()
      try {
        await writeWhole(handle, Buffer.alloc(PROBE_BYTES), 0)
        await handle.datasync()
        return null
      } finally {
        await handle.close()
        await rm(segment.path, { force: true })
      }
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  async #flush(): Promise<void> {
    // What is appended in this turn of the event loop belongs together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, countWithin(this.#waiting))
      const why = await this.#write(batch)
      if (why === null) for (const { done } of batch) done('kept')
      else if (batch.length === 1) for (const { done } of batch) done({ why })
      // A smaller record may still fit on a full disk.
      else
        for (const one of batch)
          one.done(await this.#write([one]).then((own) => (own === null ? 'kept' : { why: own })))
    }
    this.#flushing = null
  }

  /** Null when all of it is on disk; otherwise nothing of it counts. */
  async #write(batch: readonly Waiting[]): Promise<string | null> {
    try {
      const opened = (this.#open ??= await this.#begin())
      const frames = batch.map(({ payload, recordedAt }) => frame(payload, { recordedAt, salt: opened.salt }))
      await writeWhole(opened.handle, Buffer.concat(frames), opened.segment.bytes)
      await opened.handle.datasync()
      if (!(await isStillOurs(opened))) {
        // Another process of the same data folder took it over, perhaps before this was in it.
        await this.#close()
        return await this.#write(batch)
      }
      for (const [index, { payload, recordedAt }] of batch.entries()) {
        const start = opened.segment.bytes + FRAME_HEADER_BYTES
        const mark = readMark(payload, 0)
        opened.segment.entries.push({ start, length: payload.length, recordedAt, mark, isDone: false })
        opened.segment.bytes += frames[index]?.length ?? 0
      }
      if (opened.segment.bytes >= this.#options.segmentBytes) await this.#close()
      return null
    } catch (error) {
      // After a failed sync nobody knows what the file holds behind its last good record.
      await this.#open?.handle.truncate(this.#open.segment.bytes).catch(() => undefined)
      await this.#close().catch(() => undefined)
      return error instanceof Error ? error.message : String(error)
    }
  }

  async #begin(): Promise<Open> {
    const { folder, owner } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    this.#number += 1
    const salt = drawSalt()
    const path = join(folder, printSegmentName({ number: this.#number, salt, owner }))
    const handle = await open(path, 'wx', 0o600)
    try {
      await syncFolder(folder)
      const { ino } = await handle.stat()
      const segment: Segment = { path, entries: [], done: 0, bytes: 0, isDamaged: false, isFormer: false }
      return { handle, salt, inode: ino, segment }
    } catch (error) {
      await handle.close()
      await rm(path, { force: true }).catch(() => undefined)
      throw error
    }
  }

  async #close(): Promise<void> {
    const opened = this.#open
    if (opened === null) return
    this.#open = null
    await opened.handle.close()
    if (opened.segment.entries.length > 0) this.#sealed(opened.segment)
    else if (await isStillOurs(opened)) await rm(opened.segment.path, { force: true })
  }
}

/** As many as are written at once; at least one. */
function countWithin(waiting: readonly Waiting[]): number {
  let bytes = 0
  const beyond = waiting.findIndex(({ payload }, index) => (bytes += payload.length) > BATCH_BYTES && index > 0)
  return beyond === -1 ? waiting.length : beyond
}

async function writeWhole(handle: FileHandle, bytes: Buffer, from: number): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, from + at)
    at += bytesWritten
  }
}

async function isStillOurs({ segment, inode }: Open): Promise<boolean> {
  return await stat(segment.path).then(
    ({ ino }) => ino === inode,
    () => false,
  )
}
