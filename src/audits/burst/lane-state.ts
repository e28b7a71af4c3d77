import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { holdingRepositories } from './holders.ts'
import type { LaneView } from './view.ts'
import type { LaneNumbers } from './lane-numbers.ts'
import { isLaneAtMax } from './limiter-maximum.ts'
import type { Limit, LimiterClass } from './limiter.ts'
import { readySince } from './runner-start.ts'
import { count, listSome } from './format.ts'

/** With one of these limiters, idle or busy runners do not explain the queue. */
const NOT_CAPACITY: ReadonlySet<LimiterClass> = new Set([
  'listener-unhealthy',
  'image-pull-behind-pending',
  'runner-crash-loop',
])
const SATURATING: ReadonlySet<LimiterClass> = new Set([
  'declared-max-reached',
  'scheduler-resource-pressure',
  'pod-slot-pressure',
])

/** The state of the lane, reported next to its limiter. Needs GitHub's queue: pods alone do not show what waits. */
export function laneStates(view: LaneView, numbers: LaneNumbers, first: Limit | null): readonly Finding[] {
  if (view.waiting === null || view.waiting.length === 0) return []
  return [
    ...starved(view, numbers, first),
    ...saturated(view, numbers, first),
    ...queuedBehind(view, numbers, first),
    ...fairness(view, numbers, first),
  ]
}

function laneSubject({ lane }: LaneView): Pick<Finding, 'subject'> {
  return { subject: { kind: 'Lane', name: lane.label } }
}

/** One line: how many jobs wait, the oldest, and their repositories. */
export function describeQueue({ waiting, fleet }: LaneView): string {
  const jobs = waiting ?? []
  const times = jobs.flatMap(({ createdAt }) => createdAt ?? [])
  const oldest = times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b))
  const repositories = [...new Set(jobs.flatMap(({ repository }) => repository ?? []))]
  return `${count(jobs.length, 'job waits', 'jobs wait')}, the oldest for ${printAge(oldest, fleet.now)}, from ${listSome(repositories) || 'an unknown repository'}`
}

function starved(view: LaneView, { starving }: LaneNumbers, first: Limit | null): readonly Finding[] {
  if (starving.length === 0 || isNotRunners(first)) return []
  const handedOver = starving.find(({ log }) => log.cancelled !== null)
  const groups = [...new Set(view.sets.map(({ runnerGroup }) => runnerGroup ?? 'Default'))]
  return [
    {
      class: 'starved',
      severity: 'critical',
      ...laneSubject(view),
      evidence: [
        describeQueue(view),
        `${count(starving.length, 'matching runner is', 'matching runners are')} idle, online and not busy at GitHub: ${starving
          .slice(0, 5)
          .map((state) => `${state.runner.name} (ready for ${printAge(readySince(state), view.fleet.now)})`)
          .join(', ')}`,
        ...(handedOver === undefined
          ? []
          : [`${handedOver.runner.name} logged that its job was cancelled before it took it`]),
      ],
      hint:
        handedOver === undefined
          ? `capacity is available: check at GitHub whether runner group ${groups.join(', ')} allows the waiting repositories, then cancel and re-run the oldest job; leave the idle runners alone`
          : 'signalbox audit runtime: an idle runner of a cancelled hand-off blocks the lane; delete nothing before its gates hold',
      // Without any other limiter, job assignment is the limiter.
      fields: {
        idle: starving.length,
        waiting: view.waiting?.length ?? 0,
        ...(first === null ? { firstLimiter: true, admits: view.runners.length } : {}),
      },
    },
  ]
}

function isNotRunners(first: Limit | null): boolean {
  return first !== null && (first.class === 'listener-unhealthy' || first.class === 'image-pull-behind-pending')
}

function saturated(view: LaneView, { idle }: LaneNumbers, first: Limit | null): readonly Finding[] {
  if (idle.length > 0 || first === null || !SATURATING.has(first.class)) return []
  const busy = view.runners.filter(({ hasJob }) => hasJob).length
  return [
    {
      class: 'saturated',
      severity: 'warning',
      ...laneSubject(view),
      evidence: [
        describeQueue(view),
        `${busy} of ${view.runners.length} runners are busy, none is idle`,
        `first limiter: ${first.class}`,
      ],
      hint: first.hint,
      fields: { busy, idle: 0, waiting: view.waiting?.length ?? 0, limitedBy: first.class },
    },
  ]
}

function queuedBehind(view: LaneView, { idle }: LaneNumbers, first: Limit | null): readonly Finding[] {
  const { runners } = view
  const isOccupied = runners.length > 0 && idle.length === 0 && runners.every(({ hasJob }) => hasJob)
  if (!isOccupied || (first !== null && NOT_CAPACITY.has(first.class))) return []
  if (isLaneAtMax(view)) {
    return [
      behind(view, {
        summary: `all ${runners.length} runners that the lane may have are busy`,
        hint: `the lane is busy, not broken: wait for a holder to finish, or move a long job to another lane; ${first?.hint ?? 'signalbox audit capacity'}`,
        fields: {},
      }),
    ]
  }
  if (first !== null || !isLate(view)) return []
  return [
    behind(view, {
      summary: `all ${runners.length} runners of the lane are busy, and no new one is being created although the maximum allows more`,
      hint: "nothing in the cluster blocks another runner: check at GitHub whether the runner group allows the waiting repositories, and the listener's log for the jobs it was assigned",
      fields: { firstLimiter: true, admits: runners.length },
    }),
  ]
}

type Behind = Pick<Finding, 'hint'> & { readonly summary: string; readonly fields: Readonly<Record<string, unknown>> }

function behind(view: LaneView, { summary, hint, fields }: Behind): Finding {
  const repositories = holdingRepositories(view.holders).map(({ name, holds }) => `${name} (${holds})`)
  return {
    class: 'queued-behind-active-runner-capacity',
    severity: 'warning',
    ...laneSubject(view),
    evidence: [
      describeQueue(view),
      summary,
      `held by ${listSome(repositories, 10) || 'unknown repositories'}`,
      ...oldestHolder(view),
    ],
    hint,
    fields: { holders: view.holders, waiting: view.waiting?.length ?? 0, ...fields },
  }
}

/** A job has waited longer than a runner takes to start. */
function isLate({ waiting, fleet }: LaneView): boolean {
  return (waiting ?? []).some(
    ({ createdAt }) => createdAt !== null && fleet.now - createdAt > fleet.thresholds.podStart,
  )
}

function oldestHolder({ holders }: LaneView): readonly string[] {
  const [oldest] = holders
  if (oldest === undefined || oldest.since === null) return []
  return [`the longest since ${oldest.since}: ${oldest.repository ?? 'unknown'} on ${oldest.runner}`]
}

/** At least two repositories hold the label while one that holds none waits: a policy question, not proof of a shortage. */
function fairness(view: LaneView, { idle }: LaneNumbers, first: Limit | null): readonly Finding[] {
  if (first === null || NOT_CAPACITY.has(first.class) || idle.length > 0) return []
  const repositories = holdingRepositories(view.holders)
  const holding = new Set(repositories.map(({ name }) => name.toLowerCase()))
  const without = (view.waiting ?? []).filter(
    ({ repository }) => repository !== null && !holding.has(repository.toLowerCase()),
  )
  if (repositories.length < 2 || without.length === 0) return []
  const waiting = [...new Set(without.flatMap(({ repository }) => repository ?? []))]
  return [
    {
      class: 'shared-label-fairness-contention',
      severity: 'warning',
      ...laneSubject(view),
      evidence: [
        `held by ${listSome(
          repositories.map(({ name, holds }) => `${name} (${holds})`),
          10,
        )}`,
        `${listSome(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} with ${count(without.length, 'job')} and ${waiting.length === 1 ? 'holds' : 'hold'} none`,
        'neither GitHub nor ARC gives one repository priority over another',
      ],
      hint: `decide who may hold ${view.lane.label}: use a separate lane for ${waiting[0] ?? 'the waiting repository'}, or a concurrency group in the workflows of ${repositories[0]?.name ?? 'the largest holder'}; this says nothing about CPU, memory or scratch volumes`,
      fields: { holders: view.holders, waitingRepositories: waiting },
    },
  ]
}
