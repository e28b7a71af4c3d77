import { readLogLine } from '#/core/evidence/log-line.ts'

/** The timestamp that the program itself wrote: zap, slog (text and JSON), Go's log. Used if kubectl or the CRI wrote none. */
const OWN_TIME =
  /(?:^|\btime="?|"(?:time|ts)":\s?")(?<date>\d{4}[-/]\d\d[-/]\d\d)[T ](?<clock>\d\d:\d\d:\d\d(?:\.\d{1,9})?)(?<zone>Z|[+-]\d\d:\d\d)?/

export function readExcerptLine(raw: string): { readonly at: number | null; readonly text: string } {
  const { at, text } = readLogLine(raw)
  return { at: at ?? ownTime(text), text }
}

/** Go's log package writes no zone: assume UTC. */
function ownTime(text: string): number | null {
  const groups = OWN_TIME.exec(text.slice(0, 400))?.groups
  if (groups === undefined) return null
  const time = Date.parse(`${groups['date']?.replaceAll('/', '-')}T${groups['clock']}${groups['zone'] ?? 'Z'}`)
  return Number.isNaN(time) ? null : time
}
