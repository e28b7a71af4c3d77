import { open, readFile, statfs } from 'node:fs/promises'
import type { HandOver, PendingState, PendingWrites, DeathWrite } from '#/ports/pending-writings.ts'
import type { Log } from '#/ports/log.ts'
import { decodeFormerWrite, decodeWrite, encodeWrite, toMark } from './encode-write.ts'
import { drawOwner, dropSegment, findSegments } from './segment.ts'
import type { Entry, Segment } from './segment.ts'
import { SegmentWriter } from './segment-writer.ts'

export type SpoolOptions = {
  readonly folder: string
  readonly log: Log
  /** Of all segments together. */
  readonly mostBytes: number
  readonly segmentBytes?: number
}

const SEGMENT_BYTES = 8 * 1024 * 1024
/** Written to the store at the same time. */
const AT_ONCE = 8

/** Deaths on disk that wait for the store, in segments of checksummed records. What earlier processes left is read at once. */
export function openSpool(options: SpoolOptions): PendingWrites {
  const spool = new Spool(options)
  return {
    add: (writing) => spool.add(writing),
    find: (uid) => spool.find(uid),
    drain: (store, signal) => spool.drain(store, signal),
    state: () => spool.state(),
    probe: () => spool.probe(),
    freeBytes: () => spool.freeBytes(),
  }
}

class Spool {
  readonly #options: SpoolOptions
  readonly #segments: Segment[] = []
  readonly #writer: Promise<SegmentWriter>
  #current: () => Segment | null = () => null
  #fault: string | null = null

  constructor(options: SpoolOptions) {
    this.#options = options
    this.#writer = this.#open()
  }

  async #open(): Promise<SegmentWriter> {
    const { folder, log, segmentBytes = SEGMENT_BYTES } = this.#options
    const owner = drawOwner()
    let lastNumber = 0
    try {
      const found = await findSegments(folder, owner, log)
      this.#segments.push(...found.segments)
      lastNumber = found.lastNumber
      const { waiting } = this.state()
      if (waiting > 0) log.info('deaths in the spool wait for the database', { folder, deaths: waiting })
    } catch (error) {
      this.#fault = describe(error)
      log.error('cannot read the spool: deaths in it wait until the next start', { folder, why: this.#fault })
    }
    const writer = new SegmentWriter({ folder, owner, lastNumber, segmentBytes }, (segment) => {
      this.#segments.push(segment)
    })
    this.#current = () => writer.current
    return writer
  }

  async add(writing: DeathWrite): Promise<'kept' | { readonly why: string }> {
    const writer = await this.#writer
    const payload = await encodeWrite(writing)
    const { mostBytes } = this.#options
    const kept =
      this.state().bytes + payload.length > mostBytes
        ? { why: `the spool has reached its limit of ${mostBytes} bytes` }
        : await writer.append(payload, writing.postmortem.recordedAt)
    this.#fault = kept === 'kept' ? null : kept.why
    return kept
  }

  async find(uid: string): Promise<readonly DeathWrite[]> {
    await this.#writer
    const mark = toMark(uid)
    const found: DeathWrite[] = []
    for (const segment of this.#all()) {
      for (const entry of segment.entries) {
        if (entry.isDone || (entry.mark !== null && entry.mark !== mark)) continue
        // What cannot be read was handed over meanwhile, or is lost, which the next drain reports.
        const writing = await readWrite(segment, entry).catch(() => null)
        if (writing?.postmortem.uid === uid) found.push(writing)
      }
    }
    return found
  }

  async drain(store: HandOver, signal: AbortSignal): Promise<'empty' | 'stopped'> {
    const writer = await this.#writer
    for (;;) {
      if (this.#segments.length === 0) await writer.seal()
      const [segment] = this.#segments
      if (segment === undefined) return 'empty'
      if (!(await this.#drainSegment(segment, store, signal))) return 'stopped'
      this.#segments.shift()
      await this.#drop(segment)
    }
  }

  state(): PendingState {
    let waiting = 0
    let bytes = 0
    let oldestAt: number | null = null
    for (const segment of this.#all()) {
      bytes += segment.bytes
      waiting += segment.entries.length - segment.done
      const oldest = segment.entries.find(({ isDone }) => !isDone)
      if (oldest !== undefined) oldestAt = Math.min(oldestAt ?? oldest.recordedAt, oldest.recordedAt)
    }
    return { waiting, bytes, oldestAt, fault: this.#fault }
  }

  /** The oldest first. */
  #all(): readonly Segment[] {
    const current = this.#current()
    return [...this.#segments, ...(current === null ? [] : [current])]
  }

  async probe(): Promise<void> {
    this.#fault = await (await this.#writer).probe()
  }

  async freeBytes(): Promise<number> {
    const left = Math.max(0, this.#options.mostBytes - this.state().bytes)
    // Without the folder the next write reports the fault.
    return await statfs(this.#options.folder).then(
      ({ bavail, bsize }) => Math.min(left, bavail * bsize),
      () => left,
    )
  }

  async #drainSegment(segment: Segment, store: HandOver, signal: AbortSignal): Promise<boolean> {
    const entries = segment.entries.filter(({ isDone }) => !isDone)
    for (let first = 0; first < entries.length; first += AT_ONCE) {
      if (signal.aborted) return false
      const wave = entries.slice(first, first + AT_ONCE)
      const taken = await Promise.all(wave.map((entry) => this.#handOver(segment, entry, store)))
      if (taken.includes(false)) return false
    }
    return true
  }

  async #handOver(segment: Segment, entry: Entry, store: HandOver): Promise<boolean> {
    const writing = await readWrite(segment, entry).catch((error: unknown) => describe(error))
    const outcome = typeof writing === 'string' ? this.#lost(segment, writing) : await store(writing)
    if (outcome === 'later') return false
    if (outcome === 'refused') segment.isDamaged = true
    entry.isDone = true
    segment.done += 1
    return true
  }

  #lost({ path }: Segment, why: string): 'stored' | 'refused' {
    const isElsewhere = why.startsWith('ENOENT')
    const message = isElsewhere
      ? 'another process has taken over this part of the spool'
      : 'a death in the spool cannot be read'
    this.#options.log.error(message, { file: path, why })
    return isElsewhere ? 'stored' : 'refused'
  }

  /** A segment that stays is stored again at the next start, which changes nothing. */
  async #drop(segment: Segment): Promise<void> {
    try {
      await dropSegment(segment, this.#options.folder)
    } catch (error) {
      this.#options.log.error('cannot remove stored deaths from the spool', {
        file: segment.path,
        why: describe(error),
      })
    }
  }
}

async function readWrite({ path, isFormer }: Segment, { start, length }: Entry): Promise<DeathWrite> {
  if (isFormer) return decodeFormerWrite(await readFile(path))
  const handle = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, start)
    if (bytesRead !== length) throw new RangeError('the file is shorter than it was')
    return await decodeWrite(buffer)
  } finally {
    await handle.close()
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
