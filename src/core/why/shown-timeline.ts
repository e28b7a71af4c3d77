import type { TimelineEntry } from '#/core/evidence/timeline.ts'
import { RECORDS } from '#/core/evidence/timeline.ts'

/** One row of the timeline for a person: one entry, or several that differ only in numbers and ids. */
export type ShownEntry = TimelineEntry & {
  /** When the first of several happened; `at` is the last. */
  readonly from: number
  readonly count: number
}

/** Two of a kind that follow each other are one row; more are one row wherever they are. */
const FEW = 2

/** What a person reads: repeated lines once, and at most `most` rows around the death. */
export function shortenTimeline(
  timeline: readonly TimelineEntry[],
  { diedAt, most }: { readonly diedAt: number | null; readonly most: number },
): readonly ShownEntry[] {
  return aroundDeath(mergeRepeated(timeline), diedAt ?? timeline.at(-1)?.at ?? 0, most)
}

export function mergeRepeated(timeline: readonly TimelineEntry[]): readonly ShownEntry[] {
  const shapes = timeline.map(({ source, fact }) => `${source} ${toShape(fact)}`)
  const counts = countEach(shapes)
  const latest = new Map<string, number>()
  const rows: (ShownEntry | null)[] = []
  for (const [index, shape] of shapes.entries()) {
    const entry = timeline[index]
    if (entry === undefined) continue
    const isRepeated = (counts.get(shape) ?? 0) > FEW || shapes[index - 1] === shape
    const place = isRepeated ? latest.get(shape) : undefined
    rows.push(addTo(place === undefined ? null : (rows[place] ?? null), entry))
    if (place !== undefined) rows[place] = null
    latest.set(shape, index)
  }
  return rows.filter((row) => row !== null)
}

function countEach(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

function addTo(row: ShownEntry | null, entry: TimelineEntry): ShownEntry {
  return { ...entry, from: row?.from ?? entry.at, count: (row?.count ?? 0) + 1 }
}

/** Lines of one kind differ only in ids, addresses, times and numbers, which mean nothing in the short form. */
const VARIABLE =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b|0x[0-9a-f]+|\d+(?:[.:/-]\d+)*/gi

function toShape(fact: string): string {
  return fact.replaceAll(VARIABLE, '#')
}

/** Two thirds of the rows are before the death: what led to it matters more than the clean-up. */
function aroundDeath(rows: readonly ShownEntry[], diedAt: number, most: number): readonly ShownEntry[] {
  if (rows.length <= most) return rows
  // The job on record explains what was lost, however early it began.
  const kept = rows.filter(({ source }) => source === RECORDS).slice(0, 1)
  const others = rows.filter((row) => !kept.includes(row))
  const room = most - kept.length
  const until = others.findLastIndex(({ at }) => at <= diedAt) + 1
  const after = Math.min(others.length - until, Math.max(Math.floor(room / 3), room - until))
  const shown = others.slice(Math.max(0, until + after - room), until + after)
  return [...kept, ...shown].toSorted((a, b) => a.at - b.at)
}
