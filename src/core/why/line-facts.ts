import type { About } from '#/core/evidence/about-subject.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { ClueFinder } from '#/core/evidence/find-clues.ts'
import { readLogLine } from '#/core/evidence/log-line.ts'
import type { Clue, Stream } from '#/core/evidence/signature.ts'
import { readVitals } from '#/core/evidence/vitals.ts'
import type { Vitals } from '#/core/evidence/vitals.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { LogExtent } from '#/core/why/evidence.ts'

export function clueFact<A extends About>(
  { signature, groups }: Clue,
  line: Pick<Fact, 'source' | 'at' | 'order' | 'text'> & { readonly about: A },
): Omit<Fact, 'about'> & { readonly about: A } {
  return { ...line, is: signature, fields: groups }
}

export type LogReading = {
  readonly clues: readonly Fact[]
  readonly vitals: readonly Vitals[]
  readonly extent: LogExtent
}

/** The first lines that every runner prints. */
const FIRST_LINES =
  /Connected to GitHub|No proxy settings were found|Well known directory|Runner is running on|--jitconfig|Starting Runner listener/
const LOOKED_AT_FIRST = 30

/** A log of the pod: its clues, vitals and time range. A line that appears twice (trace and terminal) counts once. */
export function readLog(
  text: string,
  { source, stream, find }: { source: string; stream: Stream; find: ClueFinder },
): LogReading {
  const clues: Fact[] = []
  const vitals: Vitals[] = []
  const seen = new Set<string>()
  let [firstAt, lastAt]: [number | null, number | null] = [null, null]
  const lines = text.split('\n')
  let order = 0
  for (const raw of lines) {
    const line = readLogLine(raw)
    order += 1
    firstAt ??= line.at
    // A line without its own time happened after the line before it.
    lastAt = line.at ?? lastAt
    const sample = readVitals(line.text)
    if (sample !== null) vitals.push(sample)
    for (const clue of find({ text: withoutTerminal(line.text), stream })) {
      const fact = clueFact(clue, { source, at: line.at ?? lastAt, order, about: 'subject', text: line.text })
      const key = `${fact.is} ${Math.floor((fact.at ?? 0) / 1000)} ${JSON.stringify(fact.fields)}`
      if (!seen.has(key)) clues.push(fact)
      seen.add(key)
    }
  }
  const isFromStart = lines.slice(0, LOOKED_AT_FIRST).some((line) => FIRST_LINES.test(line))
  return {
    clues,
    vitals,
    extent: { source, firstAt, lastAt, lines: lines.filter((line) => line.trim() !== '').length, isFromStart },
  }
}

/** The trace repeats the terminal output with this prefix. */
function withoutTerminal(text: string): string {
  return text.replace(/^WRITE (?:LINE|ERROR): /, '')
}

/** An event counts from its first time; its count and last time are in the fields. */
export function eventClues(
  event: EventFacts,
  { find, about, order }: { find: ClueFinder; about: Fact['about']; order: number },
): readonly Fact[] {
  const { reason, message, firstAt, lastAt, count, container } = event
  const line = { source: 'kubernetes/events', at: firstAt, order, about, text: `${reason}: ${message}` }
  const counted = { count: String(count), last: String(lastAt ?? '') }
  const whose = container === null ? {} : { container: container.name, ...(container.isInit ? { init: 'true' } : {}) }
  return find({ text: message, stream: 'event', reason }).map((clue) =>
    clueFact({ ...clue, groups: { ...whose, ...clue.groups, ...counted } }, line),
  )
}
