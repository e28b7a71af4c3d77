import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { holdingRepositories } from './holders.ts'
import type { LaneScene } from './lane-scene.ts'
import type { Ledger } from './ledger.ts'
import { isLaneAtMax } from './limiter-maximum.ts'
import type { Limit, LimiterClass } from './limiter.ts'
import { readySince } from './runner-stand.ts'
import { count, someOf } from './wording.ts'

/** With one of these nothing about idle or busy runners explains the queue. */
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

/** How the lane stands beside its limiter. Needs GitHub's queue: of pods alone nobody knows who waits. */
export function laneStates(scene: LaneScene, ledger: Ledger, first: Limit | null): readonly Finding[] {
  if (scene.waiting === null || scene.waiting.length === 0) return []
  return [
    ...starved(scene, ledger, first),
    ...saturated(scene, ledger, first),
    ...queuedBehind(scene, ledger, first),
    ...fairness(scene, ledger, first),
  ]
}

function about({ lane }: LaneScene): Pick<Finding, 'subject'> {
  return { subject: { kind: 'Lane', name: lane.label } }
}

/** In one line: how many, the oldest, and of whom. */
export function queueWords({ waiting, fleet }: LaneScene): string {
  const jobs = waiting ?? []
  const times = jobs.flatMap(({ createdAt }) => createdAt ?? [])
  const oldest = times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b))
  const repositories = [...new Set(jobs.flatMap(({ repository }) => repository ?? []))]
  return `${count(jobs.length, 'job waits', 'jobs wait')}, the oldest for ${printAge(oldest, fleet.now)}, of ${someOf(repositories) || 'an unknown repository'}`
}

function starved(scene: LaneScene, { starving }: Ledger, first: Limit | null): readonly Finding[] {
  if (starving.length === 0 || isElsewhere(first)) return []
  const handedOver = starving.find(({ log }) => log.cancelled !== null)
  const groups = [...new Set(scene.sets.map(({ runnerGroup }) => runnerGroup ?? 'Default'))]
  return [
    {
      class: 'starved',
      severity: 'critical',
      ...about(scene),
      evidence: [
        queueWords(scene),
        `${count(starving.length, 'fitting runner idles', 'fitting runners idle')}, online and not busy at GitHub: ${starving
          .slice(0, 5)
          .map((state) => `${state.runner.name} (ready for ${printAge(readySince(state), scene.fleet.now)})`)
          .join(', ')}`,
        ...(handedOver === undefined
          ? []
          : [`${handedOver.runner.name} says that its job was cancelled before it took it`]),
      ],
      hint:
        handedOver === undefined
          ? `capacity is there: look at GitHub whether runner group ${groups.join(', ')} lets the waiting repositories in, then cancel and re-run the oldest job; leave the idle runners alone`
          : 'signalbox audit runtime: an idle runner of a cancelled hand-over blocks the lane; nothing is deleted before its gates hold',
      // With no limiter in the way the hand-out of jobs itself is what limits.
      fields: {
        idle: starving.length,
        waiting: scene.waiting?.length ?? 0,
        ...(first === null ? { firstLimiter: true, admits: scene.runners.length } : {}),
      },
    },
  ]
}

function isElsewhere(first: Limit | null): boolean {
  return first !== null && (first.class === 'listener-unhealthy' || first.class === 'image-pull-behind-pending')
}

function saturated(scene: LaneScene, { idle }: Ledger, first: Limit | null): readonly Finding[] {
  if (idle.length > 0 || first === null || !SATURATING.has(first.class)) return []
  const busy = scene.runners.filter(({ hasJob }) => hasJob).length
  return [
    {
      class: 'saturated',
      severity: 'warning',
      ...about(scene),
      evidence: [
        queueWords(scene),
        `${busy} of ${scene.runners.length} runners are busy, none is idle`,
        `first limiter: ${first.class}`,
      ],
      hint: first.hint,
      fields: { busy, idle: 0, waiting: scene.waiting?.length ?? 0, limitedBy: first.class },
    },
  ]
}

function queuedBehind(scene: LaneScene, { idle }: Ledger, first: Limit | null): readonly Finding[] {
  const { runners } = scene
  const isOccupied = runners.length > 0 && idle.length === 0 && runners.every(({ hasJob }) => hasJob)
  if (!isOccupied || (first !== null && NOT_CAPACITY.has(first.class))) return []
  if (isLaneAtMax(scene)) {
    return [
      behind(scene, {
        words: `all ${runners.length} runners that the lane may have are at work`,
        hint: `the lane is at work, not broken: wait for a holder to end, or move one of the long jobs to another lane; ${first?.hint ?? 'signalbox audit capacity'}`,
        fields: {},
      }),
    ]
  }
  if (first !== null || !isLateFor(scene)) return []
  return [
    behind(scene, {
      words: `all ${runners.length} runners of the lane are at work, and no other is being made though it may have more`,
      hint: 'nothing in the cluster stands in the way of another runner: look at GitHub whether the runner group lets the waiting repositories in, and at the log of the listener for the jobs that it was assigned',
      fields: { firstLimiter: true, admits: runners.length },
    }),
  ]
}

type Behind = Pick<Finding, 'hint'> & { readonly words: string; readonly fields: Readonly<Record<string, unknown>> }

function behind(scene: LaneScene, { words, hint, fields }: Behind): Finding {
  const repositories = holdingRepositories(scene.holders).map(({ name, holds }) => `${name} (${holds})`)
  return {
    class: 'queued-behind-active-runner-capacity',
    severity: 'warning',
    ...about(scene),
    evidence: [
      queueWords(scene),
      words,
      `held by ${someOf(repositories, 10) || 'repositories that no source names'}`,
      ...oldestHolder(scene),
    ],
    hint,
    fields: { holders: scene.holders, waiting: scene.waiting?.length ?? 0, ...fields },
  }
}

/** Longer than a runner takes to be made and to start. */
function isLateFor({ waiting, fleet }: LaneScene): boolean {
  return (waiting ?? []).some(
    ({ createdAt }) => createdAt !== null && fleet.now - createdAt > fleet.thresholds.podStart,
  )
}

function oldestHolder({ holders }: LaneScene): readonly string[] {
  const [oldest] = holders
  if (oldest === undefined || oldest.since === null) return []
  return [`the longest since ${oldest.since}: ${oldest.repository ?? 'unknown'} on ${oldest.runner}`]
}

/** At least two repositories hold the label while one that holds none waits: a question of policy, no proof of a lack. */
function fairness(scene: LaneScene, { idle }: Ledger, first: Limit | null): readonly Finding[] {
  if (first === null || NOT_CAPACITY.has(first.class) || idle.length > 0) return []
  const repositories = holdingRepositories(scene.holders)
  const holding = new Set(repositories.map(({ name }) => name.toLowerCase()))
  const without = (scene.waiting ?? []).filter(
    ({ repository }) => repository !== null && !holding.has(repository.toLowerCase()),
  )
  if (repositories.length < 2 || without.length === 0) return []
  const waiting = [...new Set(without.flatMap(({ repository }) => repository ?? []))]
  return [
    {
      class: 'shared-label-fairness-contention',
      severity: 'warning',
      ...about(scene),
      evidence: [
        `held by ${someOf(
          repositories.map(({ name, holds }) => `${name} (${holds})`),
          10,
        )}`,
        `${someOf(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} with ${count(without.length, 'job')} and ${waiting.length === 1 ? 'holds' : 'hold'} none`,
        'neither GitHub nor ARC gives one repository precedence over another',
      ],
      hint: `decide who may hold ${scene.lane.label}: a lane of its own for ${waiting[0] ?? 'the waiting repository'}, or a concurrency group in the workflows of ${repositories[0]?.name ?? 'the largest holder'}; this says nothing about CPU, memory or scratch volumes`,
      fields: { holders: scene.holders, waitingRepositories: waiting },
    },
  ]
}
