import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { PodNow, PoolAction, PoolsWorld } from '#/core/pools/reconcile/world.ts'
import { busyPod, NOW, podNow, poolNow, SCOPE, startingPod, worldOf } from '#test/pools/pool-world.ts'
import { decidePools } from './pool.ts'

const HOUR = 3_600_000

/** In short: what is made, and who goes for which reason. */
function outline(world: PoolsWorld, pods: readonly PodNow[] = []): readonly string[] {
  const place = (uid: string): string => String(pods.findIndex((pod) => pod.uid === uid))
  return decidePools(world, NOW).actions.map((action) => describeAction(action, place))
}

function describeAction(action: PoolAction, place: (uid: string) => string): string {
  switch (action.kind) {
    case 'create':
      return `create ${action.count}`
    case 'retire':
      return `retire ${place(action.uid)}: ${action.reason}`
    case 'clear':
    case 'let-go':
      return `${action.kind} ${place(action.uid)}`
    default:
      return action.kind
  }
}

type Case = readonly [
  title: string,
  pods: readonly PodNow[],
  world: Parameters<typeof worldOf>[0],
  actions: readonly string[],
]

const pool = (...given: Parameters<typeof poolNow>) => [poolNow(...given)]
const longIdle = { waitsSince: NOW - HOUR, createdAt: NOW - HOUR } as const
const former = { template: 'old' } as const

const CASES: readonly Case[] = [
  ['nothing is to do', [], {}, []],
  ['scales up from zero with the first job', [], { queue: { dispatchable: 1 } }, ['create 1']],
  ['fills the warm floor', [], { pools: pool({ size: { warm: 3 } }) }, ['create 3']],
  ['keeps the floor beside what works', [busyPod()], { pools: pool({ size: { warm: 1 } }) }, ['create 1']],
  ['makes nothing for a job that is withheld', [], { queue: { withheld: 5 } }, []],
  ['an idle pod takes the job', [podNow()], { queue: { dispatchable: 1 } }, []],
  ['one that starts is not made again', [startingPod()], { queue: { dispatchable: 1 } }, []],
  [
    'what was made and is not seen yet is not made again',
    [],
    { pools: pool({ reserved: 1 }), queue: { dispatchable: 1 } },
    [],
  ],
  [
    'never exceeds the maximum',
    [busyPod(), busyPod()],
    { pools: pool({ size: { max: 3 } }), queue: { dispatchable: 9 } },
    ['create 1'],
  ],
  [
    'a pod that is leaving still has its place',
    [busyPod({ isDeleting: true })],
    { pools: pool({ size: { max: 1 } }), queue: { dispatchable: 1 } },
    [],
  ],
  [
    'a pod that has ended has none',
    [podNow({ life: 'ended', slot: 'ended' })],
    { pools: pool({ size: { max: 1 } }), queue: { dispatchable: 1 } },
    ['create 1'],
  ],
  ['starts as many as its nodes permit', [startingPod(), startingPod()], { queue: { dispatchable: 15 } }, ['create 6']],
  [
    'starts on one node where nodes may not be read',
    [],
    { nodes: blind('forbidden', '403'), queue: { dispatchable: 9 } },
    ['create 4'],
  ],
  ['starts something where no node is there yet', [], { nodes: none(), queue: { dispatchable: 9 } }, ['create 4']],
  [
    'what no node has room for holds no place',
    [startingPod({ life: 'scheduling', node: null, obstacle: 'PodScheduled is False: Unschedulable' })],
    { limits: { startsPerNode: 1, creations: 9, retirements: 9, clearings: 9 }, queue: { dispatchable: 9 } },
    ['create 2'],
  ],
  ['an idle pod stays until its time-out', [podNow(), podNow()], {}, []],
  ['a surplus pod goes after its time-out', [podNow(longIdle), podNow()], {}, ['retire 0: surplus']],
  [
    'a lull within the time-out removes nothing',
    [podNow(longIdle), podNow(longIdle)],
    { pools: pool({ peak: 2 }) },
    [],
  ],
  [
    'the floor stays, however long it is idle',
    [podNow(longIdle), podNow(longIdle)],
    { pools: pool({ size: { warm: 2 } }) },
    [],
  ],
  [
    'a smaller maximum counts at once',
    [podNow(), podNow(), busyPod()],
    { pools: pool({ size: { max: 1 } }) },
    ['retire 0: above-maximum', 'retire 1: above-maximum'],
  ],
  ['a pod with a claimed slot stays', [podNow({ ...longIdle, slot: 'claimed' })], {}, []],
  ['a pod with a minted slot stays', [podNow({ ...longIdle, slot: 'minted' })], {}, []],
  ['a pod whose runner has begun stays, whatever its slot', [busyPod({ ...longIdle, slot: 'warm' })], {}, []],
  ['a pod whose slot was ended before it was removed goes', [podNow({ slot: 'ended' })], {}, ['retire 0: slot-ended']],
  [
    'a drained pod is replaced',
    [podNow({ isDrained: true })],
    { pools: pool({ size: { warm: 1 } }) },
    ['retire 0: drained', 'create 1'],
  ],
  [
    'an idle pod leaves a cordoned node',
    [podNow({ node: 'n3' }), busyPod({ node: 'n3' })],
    { nodes: seen([{ name: 'n3', isReady: true, isLeaving: true }]) },
    ['retire 0: node-leaves'],
  ],
  [
    'a pod that never starts is given up',
    [startingPod({ scheduledAt: NOW - 300_000 })],
    {},
    ['retire 0: never-started'],
  ],
  [
    'a pod that never finds a node is given up',
    [startingPod({ life: 'scheduling', node: null, scheduledAt: null, createdAt: NOW - 300_000 })],
    {},
    ['retire 0: never-started'],
  ],
  [
    'a pod that waited long for a node has its time to start',
    [startingPod({ createdAt: NOW - HOUR, scheduledAt: NOW - 1000 })],
    { pools: pool({ size: { warm: 1 } }) },
    [],
  ],
  [
    'the replacement comes first',
    [podNow(former), podNow(former)],
    { pools: pool({ size: { warm: 2 } }) },
    ['create 1'],
  ],
  [
    'the former goes when its replacement waits',
    [podNow(former), podNow(former), podNow()],
    { pools: pool({ size: { warm: 2 } }) },
    ['retire 0: former-template'],
  ],
  [
    'the former stays while its replacement starts',
    [podNow(former), podNow(former), startingPod()],
    { pools: pool({ size: { warm: 2 } }) },
    [],
  ],
  [
    'without room one goes first',
    [podNow(former), podNow(former)],
    { pools: pool({ size: { warm: 2, max: 2 } }) },
    ['retire 0: former-template'],
  ],
  [
    'without room no second one goes before it is replaced',
    [podNow(former), startingPod()],
    { pools: pool({ size: { warm: 2, max: 2 } }) },
    [],
  ],
  ['what has a job is not rolled', [busyPod(former)], {}, []],
  [
    'a template that is not known rolls nothing',
    [podNow(former)],
    { pools: pool({ template: null, size: { warm: 1 } }) },
    [],
  ],
  [
    'an idle pod of a deleted pool goes now',
    [podNow(), busyPod()],
    { pools: pool({ isDeleting: true }) },
    ['retire 0: pool-deleted'],
  ],
  [
    'a deleted pool goes when its last pod is gone',
    [],
    { pools: pool({ isDeleting: true }), queue: { dispatchable: 3 } },
    ['release'],
  ],
  [
    'a deleted pool without our finalizer needs no release',
    [],
    { pools: pool({ isDeleting: true, hasFinalizer: false }) },
    [],
  ],
  [
    'a pool is held before it has a pod',
    [],
    { pools: pool({ isHeld: false, hasFinalizer: false, size: { warm: 1 } }) },
    ['hold'],
  ],
  [
    'a pool with mistakes keeps what it has',
    [podNow(longIdle)],
    { pools: pool({ spec: null }), queue: { dispatchable: 1 } },
    [],
  ],
  ['pods of a pool that is gone drain', [podNow(), busyPod()], { pools: [] }, ['retire 0: pool-deleted']],
  ['an ended pod waits for its evidence', [podNow({ life: 'ended', slot: 'ended' })], {}, []],
  [
    'an ended pod goes when its evidence is stored',
    [podNow({ life: 'ended', slot: 'ended', isRecorded: true })],
    {},
    ['clear 0'],
  ],
  [
    'a deleted pod is let go when its evidence is stored',
    [podNow({ life: 'ended', slot: 'ended', isDeleting: true, isRecorded: true })],
    {},
    ['let-go 0'],
  ],
  ['a deleted pod is kept until then', [podNow({ life: 'ended', slot: 'ended', isDeleting: true })], {}, []],
]

describe('the pool reconciler', () => {
  it.each(CASES)('%s', (_title, pods, given, actions) => {
    expect(outline(worldOf({ pods, ...given }), pods)).toEqual(actions)
  })

  it.each<[string, Partial<PoolsWorld>]>([
    ['pools', { pools: blind('forbidden', '403') }],
    ['pods', { pods: blind('unreachable', 'the watch is not open') }],
    ['queues', { queues: blind('unreachable', 'the store does not answer') }],
  ])('does nothing without %s, and says so', (what, change) => {
    const world = { ...worldOf({ pods: [podNow({ slot: 'ended' })], queue: { dispatchable: 3 } }), ...change }
    const decision = decidePools(world, NOW)
    expect(decision.actions).toEqual([])
    expect(decision.blind).toContain(`${what} cannot be read`)
  })

  it('says what kept a pod from starting', () => {
    const obstacle = 'container runner waits: ImagePullBackOff: no such image'
    const world = worldOf({ pods: [startingPod({ scheduledAt: NOW - HOUR, obstacle })] })
    expect(decidePools(world, NOW).actions[0]).toMatchObject({ why: `it has not started after 5m: ${obstacle}` })
  })

  it.each([
    ['at once after the first failures', 2, NOW, ['create 3']],
    ['not at once after several', 3, NOW - 1000, []],
    ['one by one after several, when the wait is over', 3, NOW - 10_000, ['create 1']],
    ['less often after many', 6, NOW - 79_000, []],
  ] as const)('tries a pool whose pods do not start %s', (_title, failures, lastAt, actions) => {
    const pools = pool({ size: { warm: 3 }, starts: { failures, lastAt, why: 'ErrImagePull' } })
    const world = worldOf({ pools })
    expect(outline(world)).toEqual(actions)
    const [plan] = decidePools(world, NOW).plans
    expect(plan?.degraded ?? '').toContain(failures < 3 ? '' : 'ErrImagePull')
  })

  it('gives each pool its starts in turn, and leaves a part to the others', () => {
    const pools = ['a', 'b', 'c'].map((name) =>
      poolNow({ scope: `runners/${name}`, spec: declarePool(name, { size: { ...poolNow().spec!.size, warm: 9 } }) }),
    )
    const { actions } = decidePools(worldOf({ pools }), NOW)
    expect(actions.map((action) => action.kind === 'create' && [action.scope, action.count])).toEqual([
      ['runners/a', 3],
      ['runners/b', 3],
      ['runners/c', 2],
    ])
    const slow = Array.from({ length: 6 }, () => startingPod({ scope: 'runners/a' }))
    const next = decidePools(worldOf({ pools, pods: slow }), NOW).actions
    expect(next.map((action) => action.kind === 'create' && action.scope)).toEqual(['runners/b', 'runners/c'])
  })

  it('shows what a pool has, and why it has no more', () => {
    const pods = [podNow(), startingPod(), busyPod(), podNow({ life: 'ended', slot: 'ended' })]
    const { plans } = decidePools(worldOf({ pods, queue: { dispatchable: 19, withheld: 2 } }), NOW)
    expect(plans).toMatchObject([
      {
        scope: SCOPE,
        desired: 20,
        counts: { starting: 1, idle: 1, busy: 1, terminating: 1 },
        queue: { dispatchable: 19, withheld: 2 },
        waits: 'as many pods start now as its nodes and the other pools permit',
      },
    ])
  })

  it('removes no more in a round than its cap, and a bit of each pool', () => {
    const of = (name: string) => Array.from({ length: 30 }, () => podNow({ scope: `runners/${name}` }))
    const pods = [...of('a'), ...of('b')]
    const { actions } = decidePools(worldOf({ pools: [], pods }), NOW)
    const scopes = actions.map((action) => action.scope)
    expect(actions).toHaveLength(20)
    expect(scopes.filter((scope) => scope === 'runners/a')).toHaveLength(10)
  })
})
