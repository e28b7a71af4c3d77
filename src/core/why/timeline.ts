import { auditLogTimeline, eventTimeline, jobTimeline, mergeTimeline, podTimeline } from '#/core/evidence/timeline.ts'
import type { TimelineEntry } from '#/core/evidence/timeline.ts'
import { vitalsTimeline } from '#/core/evidence/vitals-timeline.ts'
import type { Evidence } from './evidence.ts'
import type { Fact } from './fact.ts'

/** What every source shows about the subject, by time; about its node, only what happened near the end. */
export function buildTimeline(evidence: Evidence): readonly TimelineEntry[] {
  const { job, pod, events, auditLog: audit, clues, vitals, log } = evidence
  const end = findEnd(evidence)
  return mergeTimeline([
    job === null ? [] : jobTimeline(job),
    pod === null ? [] : podTimeline(pod),
    eventTimeline(events.filter(({ kind, firstAt }) => kind !== 'Node' || isNear(firstAt, end))),
    auditLogTimeline(audit),
    clues.flatMap((clue) => clueEntry(clue, end)),
    vitalsTimeline(log?.source ?? 'logs', vitals),
  ])
}

const NEAR_MS = 120_000

function isNear(at: number | null, end: number | null): boolean {
  return at !== null && end !== null && Math.abs(at - end) <= NEAR_MS
}

function findEnd({ pod, log, job }: Evidence): number | null {
  const ends =
    pod?.containers.flatMap(({ state }) => (state.kind === 'terminated' ? (state.finishedAt ?? []) : [])) ?? []
  return ends.at(-1) ?? log?.lastAt ?? job?.completedAt ?? null
}

/** Events are in the timeline already, with their own message. */
function clueEntry({ is, source, at, about, text }: Fact, end: number | null): readonly TimelineEntry[] {
  if (at === null || source === 'kubernetes/events' || (about === 'node' && !isNear(at, end))) return []
  if (source === 'github/annotations') return [{ at, source, fact: text }]
  return [{ at, source, fact: `${is}: ${text}` }]
}
