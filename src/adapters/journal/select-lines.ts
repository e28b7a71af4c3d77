import { idsIn } from '#/core/evidence/named-ids.ts'
import type { BlindReason } from '#/core/basics/observed.ts'

/** Whose deaths the journal is read for. */
export type Death = { readonly uid: string; readonly containerIds: readonly string[]; readonly at: number }

/** Holds what matters most of a journal in bounded memory: kernel, kubelet, runtime and what names the pods, nearest to the deaths first. */
export type LineSelector = {
  /** A line without its line feed, the newest first. What is held is copied. */
  readonly push: (line: Uint8Array) => void
  readonly skipOverlong: () => void
  /** True when nothing older than the last line would be held. */
  readonly isFull: () => boolean
  readonly selection: () => Selection
}

export type Selection = {
  /** In the order in which they were pushed. */
  readonly lines: readonly Uint8Array[]
  /** Within this many milliseconds of each death, all that matters is there; null where nothing that matters was left out. */
  readonly around: number | null
  readonly oldest: number | null
  readonly newest: number | null
  readonly gaps: readonly BlindReason[]
}

export type SelectorOptions = {
  readonly maxBytes: number
  readonly deaths: readonly Death[]
  /** What counts as the end where no death is named. */
  readonly end: number
}

type HeldLine = { readonly bytes: Uint8Array; readonly order: number }
/** Lines by their distance from the nearest death, in seconds. */
type Shelf = { readonly buckets: HeldLine[][]; top: number; limit: number; leftLines: number; leftBytes: number }

const MOST_BUCKETS = 7200
const TIME = '"__REALTIME_TIMESTAMP":"'
const QUOTE = 0x22
const LINE_FEED = 0x0a
const MEGABYTE = 1024 * 1024

/** Quotes inside a text are written with a backslash, so a message cannot look like these. */
const OF_THE_NODE =
  /"_TRANSPORT":"kernel"|"(?:SYSLOG_IDENTIFIER|_COMM|_SYSTEMD_UNIT|UNIT)":"(?:kernel|kubelet|k3s|k3s-agent|rke2|containerd|containerd-shim[\w-]*|crio|cri-o|conmon|docker|dockerd|cri-dockerd|systemd|systemd-oomd)(?:\.service)?"/

export function createLineSelector({ maxBytes, deaths, end }: SelectorOptions): LineSelector {
  const times = deaths.length === 0 ? [end] : deaths.map(({ at }) => at)
  const ids = new Set(deaths.flatMap(({ uid, containerIds }) => [uid, ...containerIds]))
  const [relevant, other] = [newShelf(), newShelf()]
  let held = 0
  let order = 0
  let overlong = 0
  let oldest = Infinity
  let newest = -Infinity
  let last = Infinity
  const first = Math.min(...times)

  const bucketOf = (time: number): number => {
    const distance = times.reduce((least, at) => Math.min(least, Math.abs(time - at)), Infinity)
    return Math.min(MOST_BUCKETS - 1, Math.floor(distance / 1000))
  }
  const makeRoom = (): void => {
    while (held > maxBytes) {
      const dropped = dropFarthest(other) ?? dropFarthest(relevant)
      if (dropped === null) return
      held -= dropped
    }
  }
  return {
    push: (line) => {
      order += 1
      const time = readTime(line)
      if (time !== null) [oldest, newest, last] = [Math.min(oldest, time), Math.max(newest, time), time]
      const shelf = isRelevant(line, ids) ? relevant : other
      const bucket = time === null ? 0 : bucketOf(time)
      if (bucket >= shelf.limit) return countLeft(shelf, line.length)
      const bytes = copyLine(line)
      const own = (shelf.buckets[bucket] ??= [])
      own.push({ bytes, order })
      shelf.top = Math.max(shelf.top, bucket)
      held += bytes.length
      makeRoom()
    },
    skipOverlong: () => void (overlong += 1),
    isFull: () => last < first && bucketOf(last) >= relevant.limit,
    selection: () => ({
      lines: inOrder([relevant, other]),
      around: relevant.limit === Infinity ? null : relevant.limit * 1000,
      oldest: oldest === Infinity ? null : oldest,
      newest: newest === -Infinity ? null : newest,
      gaps: describeLeft({ relevant, other, overlong, pods: deaths.length, maxBytes }),
    }),
  }
}

/** In memory of its own: a view would keep all that was read with it. */
function copyLine(line: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(line.length + 1)
  bytes.set(line)
  bytes[line.length] = LINE_FEED
  return bytes
}

function newShelf(): Shelf {
  return { buckets: [], top: 0, limit: Infinity, leftLines: 0, leftBytes: 0 }
}

/** The bytes that it freed; null if the shelf is empty. */
function dropFarthest(shelf: Shelf): number | null {
  while (shelf.top > 0 && (shelf.buckets[shelf.top]?.length ?? 0) === 0) shelf.top -= 1
  const line = shelf.buckets[shelf.top]?.pop()
  if (line === undefined) return null
  shelf.limit = Math.min(shelf.limit, shelf.top)
  countLeft(shelf, line.bytes.length)
  return line.bytes.length
}

function countLeft(shelf: Shelf, bytes: number): void {
  shelf.leftLines += 1
  shelf.leftBytes += bytes
}

function isRelevant(line: Uint8Array, ids: ReadonlySet<string>): boolean {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('latin1')
  return OF_THE_NODE.test(text) || idsIn(line, 0, line.length).some(({ id }) => ids.has(id))
}

function readTime(line: Uint8Array): number | null {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength)
  const start = bytes.indexOf(TIME) + TIME.length
  const end = start < TIME.length ? -1 : bytes.indexOf(QUOTE, start)
  const digits = end < 0 ? '' : bytes.toString('latin1', start, end)
  return /^\d{1,16}$/.test(digits) ? Math.floor(Number(digits) / 1000) : null
}

function inOrder(shelves: readonly Shelf[]): readonly Uint8Array[] {
  const lines = shelves.flatMap(({ buckets }) => buckets.flat())
  return lines.toSorted((a, b) => a.order - b.order).map(({ bytes }) => bytes)
}

type Left = {
  readonly relevant: Shelf
  readonly other: Shelf
  readonly overlong: number
  readonly pods: number
  readonly maxBytes: number
}

function describeLeft({ relevant, other, overlong, pods, maxBytes }: Left): readonly BlindReason[] {
  const gaps: BlindReason[] = []
  const bound = `the journal of the window has more than ${printMegabytes(maxBytes)}`
  const rest = 'of programs other than kernel, kubelet, container runtime and systemd'
  if (other.leftLines > 0) {
    const names = pods === 0 ? '' : ', which name none of the pods,'
    const where = other.limit === 0 ? '' : ` more than ${other.limit} s from the end`
    gaps.push({ code: 'too-large', detail: `${bound}: ${printLeft(other)} ${rest}${names}${where} were left out` })
  }
  if (relevant.leftLines > 0) {
    const where = `more than ${relevant.limit} s from the end`
    gaps.push({ code: 'truncated', detail: `${bound}: ${printLeft(relevant)} ${where} were left out` })
  }
  if (overlong > 0)
    gaps.push({ code: 'too-large', detail: `${overlong} lines of the journal are too long and were left out` })
  return gaps
}

function printLeft({ leftLines, leftBytes }: Shelf): string {
  return `${leftLines} lines (${printMegabytes(leftBytes)})`
}

function printMegabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MiB`
}
