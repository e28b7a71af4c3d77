import { idsIn } from '#/core/evidence/named-ids.ts'
import type { NamedId } from '#/core/evidence/named-ids.ts'

/** Whose lines are known by name. */
export type KnownPod = { readonly uid: string; readonly containerIds: readonly string[] }

export type CutRequest = { readonly since: number; readonly until: number | null; readonly uid: string | null }

/** The journal of one burst: held once, and cut for each pod that asks. */
export type JournalIndex = {
  readonly bytes: number
  /** Lines that are too long to be handed on, or too many. */
  readonly overlong: number
  /** Views of the shared bytes. */
  readonly cut: (request: CutRequest) => readonly Uint8Array[]
}

/** journald takes a line at most this much later than its program wrote it. */
const LATE_MS = 60_000
const LONGEST_LINE_BYTES = 1024 * 1024
/** More than a journal of that size has: a line has a time at least. */
const MOST_LINES = 200_000
const PAUSE_BYTES = 1024 * 1024
const LINE_FEED = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c

// Both are unambiguous: a quote inside a text is written with a backslash.
const TIME = '"__REALTIME_TIMESTAMP":"'
const KERNEL = '"_TRANSPORT":"kernel"'
/** Only the message says whose line it is: a kubelet in a container has that container's id in the other fields of all its lines. */
const MESSAGE = '"MESSAGE":"'

type Lines = {
  readonly starts: number[]
  readonly ends: number[]
  /** Milliseconds; NaN where the line has no time. */
  readonly times: number[]
  readonly ids: (readonly NamedId[] | null)[]
  overlong: number
}

/** Of two pods: it shows whose line it is of neither. */
const SHARED = ''
/** The UID of the pod by each id that belongs to it. */
type Owners = Map<string, string>

/**
 * Reads all lines once, with pauses, because a journal of megabytes must not hold up the requests of others. Lines of the kernel
 * belong to all: an OOM report is many lines, of which one names the container, and half a report names the wrong victim.
 */
export async function indexJournal(
  bytes: Buffer,
  pods: Iterable<KnownPod>,
  pause: () => Promise<void>,
): Promise<JournalIndex> {
  const owners: Owners = new Map()
  for (const { uid, containerIds } of pods) {
    owners.set(uid, uid)
    for (const id of containerIds) own(owners, id, uid)
  }
  const lines: Lines = { starts: [], ends: [], times: [], ids: [], overlong: 0 }
  const [nextTime, nextKernel] = [createFinder(bytes, TIME), createFinder(bytes, KERNEL)]
  const nextMessage = createFinder(bytes, MESSAGE)
  let pausedAt = 0
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, start)
    const end = feed < 0 ? bytes.length : feed + 1
    if (lines.starts.length >= MOST_LINES) {
      lines.overlong += 1
      break
    }
    if (end - start > LONGEST_LINE_BYTES) lines.overlong += 1
    else if (end - start > 1) {
      const stamp = nextTime(start)
      const time = stamp < end ? readTime(bytes, stamp + TIME.length, end) : NaN
      const message = nextMessage(start)
      const ids = nextKernel(start) < end || message >= end ? NOBODY : idsInText(bytes, message + MESSAGE.length, end)
      learn(owners, ids)
      addLine(lines, { start, end, time, ids })
    }
    start = end
    if (end - pausedAt > PAUSE_BYTES) {
      pausedAt = end
      await pause()
    }
  }
  return {
    bytes: bytes.length,
    overlong: lines.overlong,
    cut: (request) => cutLines(bytes, { lines, owners }, request),
  }
}

const NOBODY: readonly NamedId[] = []

type Line = { readonly start: number; readonly end: number; readonly time: number; readonly ids: readonly NamedId[] }

function addLine(lines: Lines, { start, end, time, ids }: Line): void {
  lines.starts.push(start)
  lines.ends.push(end)
  lines.times.push(time)
  lines.ids.push(ids.length === 0 ? null : ids)
}

type Finder = (from: number) => number

function idsInText(bytes: Buffer, start: number, end: number): readonly NamedId[] {
  let quote = start
  while (quote < end && bytes[quote] !== QUOTE) quote += bytes[quote] === BACKSLASH ? 2 : 1
  return idsIn(bytes, start, quote)
}

/** Where the text comes next; a line that does not have it costs no search of its own. */
function createFinder(bytes: Buffer, text: string): Finder {
  let found = -1
  return (from) => {
    if (found < from) {
      const next = bytes.indexOf(text, from)
      found = next < 0 ? Infinity : next
    }
    return found
  }
}

function readTime(bytes: Buffer, start: number, end: number): number {
  const quote = bytes.indexOf(QUOTE, start)
  const digits = quote < 0 || quote > end ? '' : bytes.toString('latin1', start, quote)
  return /^\d{1,16}$/.test(digits) ? Math.floor(Number(digits) / 1000) : NaN
}

/** A line that names one pod and containers that nobody has yet, such as the one that reports a new sandbox, shows whose they are. */
function learn(owners: Owners, ids: readonly NamedId[]): void {
  for (const { id, isPod } of ids) if (isPod && !owners.has(id)) owners.set(id, id)
  const named = new Set(ids.flatMap(({ id }) => owners.get(id) ?? []))
  named.delete(SHARED)
  const [owner] = named
  if (owner === undefined || named.size > 1) return
  for (const { id } of ids) if (!owners.has(id)) owners.set(id, owner)
}

function own(owners: Owners, id: string, uid: string): void {
  const known = owners.get(id)
  owners.set(id, known === undefined || known === uid ? uid : SHARED)
}

function cutLines(
  bytes: Buffer,
  { lines, owners }: { readonly lines: Lines; readonly owners: Owners },
  { since, until, uid }: CutRequest,
): readonly Uint8Array[] {
  const latest = until === null ? Infinity : until + LATE_MS
  const runs: { readonly start: number; end: number }[] = []
  for (const [index, start] of lines.starts.entries()) {
    const time = lines.times[index] ?? NaN
    if (time < since || time > latest) continue
    if (uid !== null && isOfAnother(owners, lines.ids[index] ?? null, uid)) continue
    const end = lines.ends[index] ?? start
    const last = runs.at(-1)
    if (last?.end === start) last.end = end
    else runs.push({ start, end })
  }
  return runs.map(({ start, end }) => bytes.subarray(start, end))
}

function isOfAnother(owners: Owners, ids: readonly NamedId[] | null, uid: string): boolean {
  let isNamed = false
  for (const { id } of ids ?? []) {
    const owner = owners.get(id)
    if (owner === uid) return false
    if (owner !== undefined && owner !== SHARED) isNamed = true
  }
  return isNamed
}
