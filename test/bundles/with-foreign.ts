import { observeLines } from '#/core/evidence/bundle-lines.ts'
import { seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle, BundleObject, JsonObject } from '#/ports/bundle.ts'
import type { JournalLine } from '#/ports/journal.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'

/** Another death, and its verdict. */
export type Stranger = { readonly bundle: Bundle; readonly judged: JudgedSubject }

/**
 * The bundle with another death added: the other pod, events, audit lines, log, journal lines and job, on the
 * same node and in the same seconds. Only lines that name the other pod are added: what affects the node affects all of its pods.
 */
export function withForeign(own: Stranger, { bundle: other, judged: stranger }: Stranger): Bundle {
  const { bundle, judged } = own
  const shift = findEnd(judged) - findEnd(stranger)
  const moved = <T>(value: T): T => moveTimes(value, { shift, from: stranger.subject.node, to: judged.subject.node }) as T
  const names = listNames(stranger)
  return {
    ...bundle,
    list: async (resource) => {
      const rows = await bundle.list(resource)
      if (resource !== 'pods' && resource !== 'events') return rows
      const foreign = await other.list(resource)
      const theirs = foreign.kind === 'seen' ? foreign.value.filter((row) => mentions(JSON.stringify(row), names)) : []
      return rows.kind === 'blind' ? rows : joined<BundleObject>(rows, theirs.map(moved))
    },
    auditLog: async () => {
      const [lines, foreign] = [await bundle.auditLog(), await other.auditLog()]
      const theirs = foreign.kind === 'seen' ? foreign.value.lines.filter((line) => mentions(JSON.stringify(line), names)) : []
      if (lines.kind === 'blind') return lines
      const value = lines.kind === 'seen' ? lines.value : { lines: [], gaps: [] }
      return observeLines<JsonObject>([...value.lines, ...theirs.map(moved)], value.gaps)
    },
    logs: () => {
      const [mine, foreign] = [bundle.logs(), other.logs()]
      const theirs = foreign.kind === 'seen' ? foreign.value.filter(({ pod }) => pod === stranger.subject.pod) : []
      return mine.kind === 'seen' ? seen([...mine.value, ...theirs]) : mine
    },
    log: (name) => (name.pod === stranger.subject.pod ? other.log(name) : bundle.log(name)),
    journal: async (node, window) => {
      const [mine, foreign] = [await bundle.journal(node, window), await foreignJournal(other, stranger)]
      if (mine.kind !== 'seen') return mine
      const theirs = foreign.filter(({ message }) => mentions(message ?? '', names))
      const lines = [...mine.value.lines, ...theirs.map((line) => movedLine(line, shift))]
      return seen({ ...mine.value, lines: lines.toSorted((a, b) => a.at - b.at) })
    },
  }
}

function movedLine(line: JournalLine, shift: number): JournalLine {
  return { ...line, at: line.at + shift, readAt: line.readAt + shift }
}

function joined<T>(rows: Observed<readonly T[]>, more: readonly T[]): Observed<readonly T[]> {
  return seen([...(rows.kind === 'seen' ? rows.value : []), ...more])
}

async function foreignJournal(bundle: Bundle, { subject }: JudgedSubject): Promise<readonly JournalLine[]> {
  const read = subject.node === null ? null : await bundle.journal(subject.node, {})
  return read?.kind === 'seen' ? read.value.lines : []
}

function listNames({ subject }: JudgedSubject): readonly string[] {
  const uid = subject.uid === null ? [] : [subject.uid, subject.uid.replaceAll('-', '_')]
  return [...uid, ...subject.containerIds, ...(subject.pod === null ? [] : [subject.pod])]
}

function mentions(text: string, names: readonly string[]): boolean {
  return names.some((name) => text.includes(name))
}

export function findEnd({ timeline }: JudgedSubject): number {
  return timeline.findLast(({ fact }) => /ended|container-exit|Killing|completed/.test(fact))?.at ?? timeline.at(-1)?.at ?? 0
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

function moveTimes(value: unknown, place: { readonly shift: number; readonly from: string | null; readonly to: string | null }): unknown {
  if (Array.isArray(value)) return value.map((inner) => moveTimes(inner, place))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, moveTimes(inner, place)]))
  }
  if (typeof value !== 'string') return value
  if (value === place.from) return place.to ?? value
  return TIME.test(value) && !value.startsWith('1970') ? new Date(Date.parse(value) + place.shift).toISOString() : value
}
