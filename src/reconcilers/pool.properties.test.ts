import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blind, seen } from '#/core/basics/observed.ts'
import { SLOT_STATES } from '#/core/dispatch/slot.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { toCount } from '#/core/pools/reconcile/plan-pool.ts'
import type { PodNow, PoolNow, PoolsWorld } from '#/core/pools/reconcile/world.ts'
import type { Share } from '#/core/pools/runner-pool.ts'
import { NOW, podNow, poolNow, worldOf } from '#test/pools/pool-world.ts'
import { SimulatedPool } from '#test/pools/simulated-pool.ts'
import { decidePools } from './pool.ts'

const LIVES = ['scheduling', 'starting', 'waiting', 'running', 'failing', 'ended'] as const
const HOUR = 3_600_000

const pods = fc.array(
  fc
    .record({
      life: fc.constantFrom(...LIVES),
      slot: fc.constantFrom(...SLOT_STATES, 'absent' as const),
      template: fc.constantFrom('new', 'old'),
      node: fc.constantFrom('n1', 'n2', 'n3'),
      isDeleting: fc.boolean(),
      isDrained: fc.constantFrom(false, false, false, true),
      isRecorded: fc.boolean(),
      waitsSince: fc.constantFrom(NOW - 60_000, NOW - HOUR),
    })
    .map((change): PodNow => podNow(change)),
  { maxLength: 25 },
)
const share: fc.Arbitrary<Share> = fc.oneof(
  fc.record({ kind: fc.constant('percent' as const), value: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ kind: fc.constant('count' as const), value: fc.integer({ min: 1, max: 5 }) }),
)
const pool: fc.Arbitrary<PoolNow> = fc
  .record({
    warm: fc.nat(6),
    max: fc.integer({ min: 1, max: 20 }),
    maxUnavailable: share,
    reserved: fc.constantFrom(0, 0, 2),
    peak: fc.nat(20),
    isDeleting: fc.constantFrom(false, false, false, true),
  })
  .map(({ warm, max, maxUnavailable, ...change }) => {
    const size = { warm, max, startTimeoutMs: 300_000, idleTimeoutMs: 1_800_000 }
    return poolNow({ spec: declarePool('linux', { size, rollout: { maxUnavailable } }), size, ...change })
  })
const nodes = fc
  .boolean()
  .map((isLeaving) =>
    seen(['n1', 'n2', 'n3'].map((name) => ({ name, isReady: true, isLeaving: isLeaving && name === 'n3' }))),
  )
const queue = fc.record({ dispatchable: fc.nat(10), withheld: fc.nat(10) })

type Drawn = {
  readonly own: PoolNow
  readonly world: PoolsWorld
  readonly there: readonly PodNow[]
  readonly retired: ReadonlyMap<string, string>
  readonly created: number
  readonly desired: number
}

/** Checks what was decided in any world. */
function inAnyWorld(check: (drawn: Drawn) => void): void {
  fc.assert(
    fc.property(pool, pods, nodes, queue, (own, there, around, jobs) => {
      const world = worldOf({ pools: [own], pods: there, nodes: around, queue: jobs })
      const { actions, plans } = decidePools(world, NOW)
      const retired = new Map(actions.flatMap((one) => (one.kind === 'retire' ? [[one.uid, one.reason]] : [])))
      const created = actions.reduce((sum, one) => sum + (one.kind === 'create' ? one.count : 0), 0)
      check({ own, world, there, retired, created, desired: plans[0]?.desired ?? 0 })
    }),
    { numRuns: 500 },
  )
}

const isWaiting = (pod: PodNow): boolean => pod.life === 'waiting' && pod.slot === 'warm' && !pod.isDeleting
const sizeOf = ({ spec }: PoolNow) => spec?.size ?? { warm: 0, max: 0 }

describe('in any world', () => {
  it('no pod is retired that may work, or has a job', () => {
    inAnyWorld(({ there, retired }) => {
      for (const { uid, life, slot } of there) {
        if (!retired.has(uid)) continue
        expect(['scheduling', 'starting', 'waiting']).toContain(life)
        expect(['warm', 'absent', 'ended', 'lost']).toContain(slot)
      }
    })
  })

  it('no pod is made above the maximum', () => {
    inAnyWorld(({ own, there, created }) => {
      const active = there.filter(({ life }) => life !== 'ended').length + own.reserved
      expect(created).toBeLessThanOrEqual(Math.max(0, sizeOf(own).max - active))
    })
  })

  it('a surplus pod goes only above the floor', () => {
    inAnyWorld(({ own, there, retired, desired }) => {
      if (![...retired.values()].includes('surplus')) return
      const left = there.filter(
        ({ uid, isDeleting, life, slot }) =>
          !retired.has(uid) && !isDeleting && !['ended', 'failing'].includes(life) && !isLeft({ life, slot }),
      )
      expect(left.length + own.reserved).toBeGreaterThanOrEqual(desired)
    })
  })

  it('a rollout leaves as many waiting as are needed, or misses no more than it may', () => {
    inAnyWorld(({ own, there, retired, desired }) => {
      if (own.spec === null || ![...retired.values()].includes('former-template')) return
      const rolled = there.filter((pod) => isWaiting(pod) && retired.get(pod.uid) === 'former-template').length
      const left = there.filter((pod) => isWaiting(pod) && !retired.has(pod.uid)).length
      const busy = there.filter((pod) => isBusy(pod)).length
      const budget = toCount(own.spec.rollout.maxUnavailable, desired)
      const floor = Math.max(0, desired - busy)
      expect(rolled).toBeLessThanOrEqual(budget)
      if (rolled > 0) expect(left).toBeGreaterThanOrEqual(floor - (desired < own.spec.size.max ? 0 : budget))
    })
  })

  it('nothing is done where pools, pods or the store are blind', () => {
    inAnyWorld(({ world }) => {
      for (const what of ['pools', 'pods', 'queues']) {
        const decision = decidePools({ ...world, [what]: blind('unreachable', 'no answer') }, NOW)
        expect([decision.actions, decision.blind === null]).toEqual([[], false])
      }
    })
  })

  it('a pod that has ended stays until its death is stored', () => {
    fc.assert(
      fc.property(pool, pods, (own, there) => {
        const { actions } = decidePools(worldOf({ pools: [own], pods: there }), NOW)
        const unstored = new Set(there.flatMap(({ uid, isRecorded }) => (isRecorded ? [] : [uid])))
        const finished = actions.flatMap((one) => (one.kind === 'clear' || one.kind === 'let-go' ? [one.uid] : []))
        expect(finished.filter((uid) => unstored.has(uid))).toEqual([])
      }),
    )
  })
})

function isLeft({ life, slot }: Pick<PodNow, 'life' | 'slot'>): boolean {
  return ['scheduling', 'starting', 'waiting'].includes(life) && (slot === 'ended' || slot === 'lost')
}

function isBusy(pod: PodNow): boolean {
  if (pod.isDeleting || pod.life === 'ended' || pod.life === 'failing') return false
  if (pod.life === 'running') return true
  return !['warm', 'absent', 'ended', 'lost'].includes(pod.slot)
}

describe('applied again and again', () => {
  it('reaches the size that is desired, of the template of now, and is quiet then', () => {
    const there = fc.array(
      fc.constantFrom('new', 'old').chain((template) =>
        fc.constantFrom('warm' as const, 'executing' as const).map((slot) => {
          const life = slot === 'warm' ? ('waiting' as const) : ('running' as const)
          return podNow({ template, slot, life, waitsSince: slot === 'warm' ? NOW - HOUR : null })
        }),
      ),
      { maxLength: 15 },
    )
    fc.assert(
      fc.property(pool, there, queue, (own, first, jobs) => {
        const world = new SimulatedPool({ ...own, reserved: 0, peak: 0, isDeleting: false }, first, jobs)
        for (let step = 0; step < 200; step += 1) world.step()
        expect(world.step()).toEqual([])
        const idle = world.pods.filter(({ slot }) => slot === 'warm')
        expect(idle.filter(({ template }) => template !== 'new')).toEqual([])
        const busy = world.pods.length - idle.length
        expect(world.pods.length).toBe(Math.max(busy, world.desired))
      }),
    )
  })

  it('a deleted pool loses every idle pod, and is not released while one works', () => {
    const idle = Array.from({ length: 30 }, () => podNow())
    const works = podNow({ life: 'running', slot: 'executing' })
    const world = new SimulatedPool(poolNow({ isDeleting: true }), [...idle, works], { dispatchable: 5 })
    for (let step = 0; step < 5; step += 1) {
      expect(world.step().map(({ kind }) => kind)).not.toContain('release')
    }
    expect(world.pods.map(({ uid }) => uid)).toEqual([works.uid])
  })
})
