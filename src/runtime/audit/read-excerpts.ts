import type { LogName } from '#/core/evidence/bundle-path.ts'
import type { ExcerptLine, LogExcerpt, Snapshot, SourceGap } from '#/core/fleet/snapshot.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { VITALS_MENTION } from '#/core/evidence/vitals.ts'
import { readExcerptLine } from '#/core/fleet/excerpt-line.ts'
import { unwrapLog } from '#/core/evidence/unwrap-log.ts'
import { logEnd } from '#/core/fleet/log-end.ts'
import type { LogEnd } from '#/core/fleet/log-end.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'

export type ExcerptReading = {
  readonly logs: Snapshot['logs']
  readonly gaps: readonly SourceGap[]
  readonly remark: string | null
}

/** Reads the lines of each log that an audit may need. An unreadable or truncated log is a gap: silence would look healthy. */
export async function readExcerpts(bundle: Bundle, mentions: readonly string[]): Promise<ExcerptReading> {
  const names = bundle.logs()
  if (names.kind !== 'seen') return { logs: names, gaps: [], remark: null }
  const excerpts: LogExcerpt[] = []
  const gaps: SourceGap[] = []
  let open = 0
  for (const name of names.value) {
    const source = bundlePath.log(name).replace(/\.log$/, '')
    const log = await bundle.log(name)
    if (log.kind === 'blind') {
      gaps.push({ source, reason: log.reason })
      continue
    }
    const raw = log.kind === 'seen' ? log.value : ''
    const text = unwrapLog(raw, name)
    const end = logEnd(raw)
    if (end === 'cut') gaps.push({ source, reason: CUT.reason })
    if (end === 'open') open += 1
    excerpts.push(toExcerpt(name, text, mentions, end))
  }
  const [first] = gaps
  // If no log could be read, the whole source is blind.
  if (first !== undefined && excerpts.length === 0) {
    return { logs: blind(first.reason.code, first.reason.detail), gaps: [], remark: null }
  }
  return {
    logs: seen(excerpts),
    gaps,
    remark: openRemark(open, names.value.length),
  }
}

export const CUT = blind('truncated', 'it ends in the middle of a line; the rest is unknown')

/** Perhaps nothing is missing: a program's last output, or a file written by hand. */
export function openRemark(open: number, all: number): string | null {
  return open === 0 ? null : `${open} of ${all} end without a newline`
}

/** A crash-looping listener repeats one line: the last ones are enough. */
const MOST_LINES = 2_000

export function toExcerpt(
  name: LogName,
  text: string,
  mentions: readonly string[],
  end: LogEnd = logEnd(text),
): LogExcerpt {
  const kept: ExcerptLine[] = []
  const rows = text.split('\n').filter((line) => line !== '')
  for (const raw of rows) if (mentions.some((mention) => raw.includes(mention))) kept.push(readExcerptLine(raw))
  return {
    ...name,
    firstAt: firstTime(rows),
    lastAt: end === 'cut' ? null : firstTime(rows.slice(-MOST_TRIES).toReversed()),
    lines: kept.slice(-MOST_LINES),
    vitals: findVitals(rows),
  }
}

function findVitals(rows: readonly string[]): ExcerptLine | null {
  const line = rows.findLast((raw) => raw.includes(VITALS_MENTION))
  return line === undefined ? null : readExcerptLine(line)
}

/** Some log lines have no time: continuation lines, a program's last output. */
const MOST_TRIES = 50

function firstTime(rows: readonly string[]): number | null {
  for (const raw of rows.slice(0, MOST_TRIES)) {
    const { at } = readExcerptLine(raw)
    if (at !== null) return at
  }
  return null
}
