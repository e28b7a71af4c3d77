import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { describeJob } from '#/core/github/recorded-job.ts'
import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { ContainerFacts, ContainerState, PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'

/** One thing that happened, as its source describes it. */
export type TimelineEntry = { readonly at: number; readonly source: string; readonly fact: string }

/** By time; entries of the same time keep the order of `parts`: GitHub, pod, events, node. */
export function mergeTimeline(parts: readonly (readonly TimelineEntry[])[]): readonly TimelineEntry[] {
  const seen = new Set<string>()
  return parts
    .flat()
    .toSorted((a, b) => a.at - b.at)
    .filter(({ at, source, fact }) => {
      const key = `${at} ${source} ${fact}`
      if (seen.has(key)) return false
      seen.add(key)
      return true
    })
}

const entry = (source: string, at: number | null, fact: string): readonly TimelineEntry[] =>
  at === null ? [] : [{ at, source, fact }]

const PODS = 'kubernetes/pods'

export function podTimeline(pod: PodFacts): readonly TimelineEntry[] {
  const scheduled = pod.conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'True')
  const disrupted = pod.conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')
  return [
    ...entry(PODS, pod.createdAt, 'the pod was created'),
    ...entry(PODS, scheduled?.since ?? null, `the pod was scheduled to node ${pod.node ?? 'unknown'}`),
    ...entry(PODS, disrupted?.since ?? null, `the pod is marked as disrupted: ${withReason(disrupted)}`),
    ...pod.containers.flatMap((container) => containerTimeline(container)),
    ...entry(PODS, pod.deletedAt, `the deletion of the pod is due (grace ${pod.graceSeconds ?? '?'} s)`),
  ]
}

function withReason(
  condition: { readonly reason: string | null; readonly message: string | null } | undefined,
): string {
  return [condition?.reason, condition?.message].filter((part) => part !== null && part !== undefined).join(': ')
}

function containerTimeline({ name, last, state }: ContainerFacts): readonly TimelineEntry[] {
  return [...stateTimeline(name, last), ...stateTimeline(name, state)]
}

function stateTimeline(name: string, state: ContainerState): readonly TimelineEntry[] {
  switch (state.kind) {
    case 'unknown':
    case 'waiting':
      return []
    case 'running':
      return entry(PODS, state.startedAt, `container ${name} started`)
    case 'terminated': {
      const how = `exit code ${state.exitCode ?? '?'}${state.reason === null ? '' : `, ${state.reason}`}`
      return [
        ...entry(PODS, state.startedAt, `container ${name} started`),
        ...entry(PODS, state.finishedAt, `container ${name} ended: ${how}`),
      ]
    }
  }
}

export function eventTimeline(events: readonly EventFacts[]): readonly TimelineEntry[] {
  return events.flatMap(({ reason, message, firstAt, lastAt, count }) => {
    const first = entry('kubernetes/events', firstAt, `${reason}: ${message}`)
    if (lastAt === null || lastAt === firstAt) return first
    return [...first, ...entry('kubernetes/events', lastAt, `${reason}: ${message} (${count} times so far)`)]
  })
}

export function auditLogTimeline(lines: readonly AuditLogFacts[]): readonly TimelineEntry[] {
  return lines.flatMap(({ at, verb, user, resource, subresource, graceSeconds, status }) => {
    const what = subresource === null ? resource : `${resource}/${subresource}`
    const grace = graceSeconds === null ? '' : ` with grace ${graceSeconds} s`
    const refused = status !== null && status >= 400 ? `, refused with ${status}` : ''
    return entry('kubernetes/audit', at, `${user} requested: ${verb} ${what}${grace}${refused}`)
  })
}

export const RECORDS = 'kubernetes/ephemeralrunners'

/** The record has no time: the entry gets the start of the runner, because no runner has a job before that. */
export function recordTimeline(job: RecordedJob, startedAt: number | null): readonly TimelineEntry[] {
  const run = job.url ?? (job.runId === null ? null : `run ${job.runId}`)
  const where = run === null ? '' : `, ${run}`
  return entry(RECORDS, startedAt, `ARC recorded ${describeJob(job)} on this runner${where}`)
}

export function jobTimeline(job: WorkflowJobFacts): readonly TimelineEntry[] {
  const source = 'github/jobs'
  return [
    ...entry(source, job.createdAt, `job ${job.id} was queued`),
    ...entry(source, job.startedAt, `job ${job.id} started on ${job.runner ?? 'no runner'}`),
    ...job.steps.flatMap(({ number, name, conclusion, startedAt, completedAt }) => [
      ...entry(source, startedAt, `step ${number} began: ${name}`),
      ...(conclusion === null || conclusion === 'success'
        ? []
        : entry(source, completedAt, `step ${number} ended with ${conclusion}: ${name}`)),
    ]),
    ...entry(source, job.completedAt, `job ${job.id} completed: ${job.conclusion ?? 'no conclusion'}`),
  ]
}
