import { readAuditLogLine } from '#/core/kubernetes/audit-log-facts.ts'
import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import { isKept } from '#/core/kubernetes/audit-log-scope.ts'
import type { AuditLogScope } from '#/core/kubernetes/audit-log-scope.ts'
import { timeAt } from '#/core/basics/fields.ts'
import type { AuditLogEvent } from '#/ports/audit-log.ts'
import { believeTimes } from './future-events.ts'

export type RingLimits = { readonly lines: number; readonly characters: number; readonly ageMs: number }

/** Recent changes to runner pods, in bounded memory, and the time range in which they are complete. */
export type AuditLogRing = {
  /** An event was read, kept or not: nothing after it was missed. */
  readonly looked: (event: unknown) => void
  /** True where it may concern a runner. */
  readonly offer: (event: unknown, text: () => string) => boolean
  /** Events may have been missed: the range before is no longer complete. */
  readonly interrupt: () => void
  readonly covered: () => { readonly from: number; readonly to: number } | null
  /** How far ahead of our clock the events were dated that were taken for ones of now; null where none was. */
  readonly aheadMs: () => number | null
  readonly lines: (scope: AuditLogScope) => Generator<AuditLogEvent>
}

export const RING_LIMITS: RingLimits = { lines: 50_000, characters: 64 * 1024 * 1024, ageMs: 3_600_000 }

export type RingSettings = { readonly now: () => number; readonly limits?: RingLimits }

type Line = { readonly facts: AuditLogFacts; readonly at: number; readonly text: string }

export function createAuditLogRing(
  namespaces: ReadonlySet<string> | null,
  { now, limits = RING_LIMITS }: RingSettings,
): AuditLogRing {
  const wanted: AuditLogScope = { namespaces, nodes: null, window: { from: -Infinity, to: null } }
  let lines: (Line | undefined)[] = []
  let start = 0
  let characters = 0
  let covered: { readonly from: number; readonly to: number } | null = null
  const { believed, aheadMs } = believeTimes(now)
  const drop = (): void => {
    const line = lines[start]
    if (line === undefined) return
    lines[start] = undefined
    start += 1
    characters -= line.text.length
    if (covered !== null) covered = { ...covered, from: Math.max(covered.from, line.at + 1) }
    if (start > limits.lines) {
      lines = lines.slice(start)
      start = 0
    }
  }
  const isTooMuch = (newest: number): boolean =>
    lines.length - start > limits.lines ||
    characters > limits.characters ||
    newest - (lines[start]?.at ?? newest) > limits.ageMs
  return {
    looked: (event) => {
      const dated = eventTime(event)
      if (dated === null) return
      const at = believed(dated)
      covered = covered === null ? { from: at, to: at } : { ...covered, to: Math.max(covered.to, at) }
    },
    offer: (event, text) => {
      const facts = readAuditLogLine(event)
      const at = facts?.at ?? null
      // The kubelet's constant status updates are visible in the objects.
      if (facts === null || at === null || facts.subresource === 'status' || !isKept(facts, wanted)) return false
      const line = { facts, at: believed(at), text: text() }
      lines.push(line)
      characters += line.text.length
      while (isTooMuch(line.at)) drop()
      return true
    },
    interrupt: () => {
      covered = null
    },
    covered: () => covered,
    aheadMs,
    lines: function* (scope) {
      for (let index = start; index < lines.length; index += 1) {
        const line = lines[index]
        if (line !== undefined && isKept(line.facts, scope)) yield { kind: 'line', text: line.text }
      }
    },
  }
}

/** A watch is logged when it ends, an hour after its start: only its end proves coverage. */
function eventTime(event: unknown): number | null {
  return timeAt(event, 'stageTimestamp') ?? timeAt(event, 'requestReceivedTimestamp')
}
