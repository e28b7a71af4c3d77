import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import { readPoolPod } from '#/core/pools/reconcile/pool-pod.ts'
import type { PodNow } from '#/core/pools/reconcile/world.ts'
import type { Clock } from '#/ports/clock.ts'
import type { OwnPods } from '#/ports/pools.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { DeclaredPool, PoolBook } from '#/runtime/pools/pool-book.ts'
import type { BreakerGate, OpenBreaker } from '#/runtime/dispatch/breaker-gate.ts'

export type ObserveMeans = {
  readonly assignments: Assignments
  /** Null where this server has no pools of its own. */
  readonly world: DispatchWorld | null
  readonly breakers: Pick<BreakerGate, 'open'>
  readonly clock: Pick<Clock, 'now'>
}

export type DispatchWorld = {
  readonly book: Pick<PoolBook, 'declared'>
  readonly ownPods: Pick<OwnPods, 'all'>
}

/** What a person who asks about jobs, runners or pools is shown, read once. */
export type DispatchNow = {
  readonly now: number
  readonly declared: Observed<readonly DeclaredPool[]>
  readonly pods: Observed<readonly PodNow[]>
  /** Live ones. */
  readonly slots: readonly Slot[]
  readonly queued: readonly Job[]
  readonly underWay: readonly Job[]
  readonly open: readonly OpenBreaker[]
  /** There is more than is read of one of the three. */
  readonly isTruncated: boolean
}

/** The oldest of them: who is behind those has to wait long enough anyway. */
export const MOST_READ = 20_000

export async function observeDispatch(means: ObserveMeans): Promise<DispatchNow> {
  const { assignments, world, breakers, clock } = means
  const [queued, underWay, slots, open] = await Promise.all([
    assignments.jobs({ states: ['queued'], limit: MOST_READ }),
    assignments.jobs({ states: ['claimed', 'minted', 'executing'], limit: MOST_READ }),
    assignments.slots({ states: ['warm', 'claimed', 'minted', 'registered', 'executing'], limit: MOST_READ }),
    breakers.open(),
  ])
  return {
    now: clock.now(),
    declared: world === null ? none() : world.book.declared(),
    pods: world === null ? none() : observePods(world, slots),
    slots,
    queued,
    underWay,
    open,
    isTruncated: [queued, underWay, slots].some((rows) => rows.length >= MOST_READ),
  }
}

function observePods({ ownPods }: DispatchWorld, slots: readonly Slot[]): Observed<readonly PodNow[]> {
  const all = ownPods.all()
  if (all.kind !== 'seen') return all
  if (slots.length >= MOST_READ) return blind('truncated', `there are more than ${MOST_READ} slots`)
  const live = new Map(slots.map((slot) => [slot.uid, slot]))
  const pods = all.value.flatMap((object) => readPoolPod(object) ?? [])
  return seen(
    pods.map((pod) => {
      const slot = live.get(pod.uid)
      const hadRunner = slot !== undefined && slotRunner(slot) !== null
      return Object.assign({ slot: slotState(pod, slot), hadRunner, isRecorded: false }, pod)
    }),
  )
}

/** A pod without a live slot has none yet, or its slot has ended. */
function slotState({ life }: Pick<PodNow, 'life'>, slot: Slot | undefined): PodNow['slot'] {
  if (slot !== undefined) return slot.state
  return life === 'ended' || life === 'failing' ? 'ended' : 'absent'
}

/** What is read of one pool. */
export type PoolView = {
  readonly scope: string
  /** Null: jobs or pods name it, and nobody declares it. */
  readonly declared: DeclaredPool | null
  /** Null where the pods are not watched now. */
  readonly pods: readonly PodNow[] | null
  readonly slots: readonly Slot[]
  readonly queued: readonly Job[]
  readonly underWay: readonly Job[]
}

/** Every pool that is declared or that jobs are queued for, by name. */
export function viewPools({ declared, pods, slots, queued, underWay }: DispatchNow): readonly PoolView[] {
  const known = new Map((declared.kind === 'seen' ? declared.value : []).map((pool) => [pool.scope, pool]))
  const scopes = new Set([...known.keys(), ...queued.map(({ scope }) => scope)])
  const ofScope = <T extends { readonly scope: string }>(rows: readonly T[]) => {
    const groups = Map.groupBy(rows, ({ scope }) => scope)
    return (scope: string): readonly T[] => groups.get(scope) ?? []
  }
  const [podsOf, slotsOf] = [ofScope(pods.kind === 'seen' ? pods.value : []), ofScope(slots)]
  const [queuedOf, underWayOf] = [ofScope(queued), ofScope(underWay)]
  return [...scopes]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((scope) => ({
      scope,
      declared: known.get(scope) ?? null,
      pods: pods.kind === 'blind' ? null : podsOf(scope),
      slots: slotsOf(scope),
      queued: queuedOf(scope),
      underWay: underWayOf(scope),
    }))
}
