import { at, listAt, textAt, toFields } from '#/core/basics/fields.ts'
import type { SpecProblem } from '#/core/pools/spec-reader.ts'
import type { PoolCounts, PoolPlan } from './world.ts'

/** What the status of a RunnerPool says, but for the times of its conditions. */
export type PoolStatus = {
  readonly conditions: readonly PoolCondition[]
  readonly replicas: PoolCounts
  readonly queued: { readonly dispatchable: number; readonly withheld: number }
}

export type PoolCondition = {
  readonly type: 'Ready' | 'SpecValid' | 'Degraded'
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

type Shown = {
  readonly problems: readonly SpecProblem[]
  readonly isDeleting: boolean
  readonly plan: PoolPlan
}

export function describeStatus({ problems, isDeleting, plan }: Shown): PoolStatus {
  const { counts, queue, degraded } = plan
  const { dispatchable, withheld } = queue
  return {
    conditions: [readiness({ problems, isDeleting, plan }), validity(problems), degradation(degraded)],
    replicas: counts,
    queued: { dispatchable, withheld },
  }
}

function readiness({ problems, isDeleting, plan }: Shown): PoolCondition {
  const { counts, desired, waits } = plan
  const has = counts.starting + counts.idle + counts.busy
  if (problems.length > 0) return condition('Ready', false, 'SpecInvalid', 'its spec has mistakes: see SpecValid')
  if (isDeleting) {
    const left = has + counts.terminating
    return condition('Ready', false, 'Draining', `it is being deleted, and ${left} of its pods are still there`)
  }
  // The numbers are in `replicas`: here they would change the condition with every pod.
  if (counts.idle + counts.busy >= desired) return condition('Ready', true, 'Sized', 'it has the pods that it needs')
  if (has >= desired) return condition('Ready', false, 'Starting', 'its pods are starting')
  return condition('Ready', false, 'Short', waits ?? 'pods are being made')
}

const MOST_SHOWN = 5

function validity(problems: readonly SpecProblem[]): PoolCondition {
  if (problems.length === 0) return condition('SpecValid', true, 'Valid', 'it has no mistake')
  const shown = problems.slice(0, MOST_SHOWN).map(({ path, why }) => `${path} ${why}`)
  const more = problems.length > MOST_SHOWN ? [`and ${problems.length - MOST_SHOWN} more`] : []
  return condition('SpecValid', false, 'Mistakes', [...shown, ...more].join('; '))
}

function degradation(degraded: string | null): PoolCondition {
  return degraded === null
    ? condition('Degraded', false, 'Starts', 'its pods start')
    : condition('Degraded', true, 'PodsDoNotStart', degraded)
}

/** The most that the API permits in a message. */
const LONGEST_MESSAGE = 32_768

function condition(type: PoolCondition['type'], is: boolean, reason: string, message: string): PoolCondition {
  return { type, status: is ? 'True' : 'False', reason, message: message.slice(0, LONGEST_MESSAGE) }
}

/** The status to write; null if the object has it already. A condition keeps the time at which it came to be so. */
export function toWrittenStatus(object: unknown, status: PoolStatus, now: number): Record<string, unknown> | null {
  const before = listAt(object, 'status', 'conditions')
  const generation = at(object, 'metadata', 'generation')
  const conditions = status.conditions.map((own) => {
    const old = before.find((one) => textAt(one, 'type') === own.type)
    const since = textAt(old, 'status') === own.status ? textAt(old, 'lastTransitionTime') : null
    const observed = typeof generation === 'number' ? { observedGeneration: generation } : {}
    return { ...own, ...observed, lastTransitionTime: since ?? new Date(now).toISOString() }
  })
  const written = { ...status, conditions }
  return isContained(written, at(object, 'status')) ? null : written
}

/** Everything that we write is there; what others added does not matter. */
function isContained(own: unknown, there: unknown): boolean {
  if (Array.isArray(own)) {
    return (
      Array.isArray(there) && own.length === there.length && own.every((one, place) => isContained(one, there[place]))
    )
  }
  if (typeof own !== 'object' || own === null) return own === there
  const others = toFields(there)
  return Object.entries(toFields(own)).every(([key, value]) => isContained(value, others[key]))
}
