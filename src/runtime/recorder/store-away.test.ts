import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { openSpool } from '#/adapters/spool/spool.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Log } from '#/ports/log.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { PendingWrites } from '#/ports/pending-writings.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Store } from '#/ports/store/store.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { startRecorder, storedParts } from '#test/recorder/start-recorder.ts'
import type { RecorderPlan, RunningRecorder } from '#test/recorder/start-recorder.ts'

const cleanups: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type World = RunningRecorder & { readonly cluster: FakeCluster }

function start(plan: Omit<RecorderPlan, 'kubernetes'>): World {
  const cluster = fakeCluster()
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, ...plan })
  cleanups.push(recorder.stop)
  cluster.events(listed([]))
  return { ...recorder, cluster }
}

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Each spool on it is that of another process. */
async function newDisk(): Promise<() => PendingWrites> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-store-away-'))
  cleanups.push(() => rm(folder, { recursive: true }))
  return () => openSpool({ folder, log: SILENT, mostBytes: 1e9 })
}

type Away = 'writes' | 'all'

/** A store of which some is unavailable. */
function fragileStore(real: Store = memoryStore()): { readonly store: Store; readonly real: Store; away: Away | null } {
  const fragile = { real, away: null as Away | null, store: real }
  const reach = (isWrite: boolean): void => {
    if (fragile.away === 'all' || (isWrite && fragile.away === 'writes')) throw new StoreUnavailable('away')
  }
  const { deaths, livePods } = real
  const reading = <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      reach(false)
      return call(...args)
    }
  }
  const record: Store['deaths']['record'] = async (...row) => {
    reach(true)
    await deaths.record(...row)
  }
  fragile.store = {
    ...real,
    deaths: { ...deaths, record, get: reading(deaths.get), list: reading(deaths.list) },
    livePods: {
      ...livePods,
      page: reading(livePods.page),
      put: reading(livePods.put),
      remove: reading(livePods.remove),
    },
  }
  return fragile
}

const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const died = (world: World, count: number) => waitFor(() => expect(world.deaths).toHaveLength(count))
const cause = async (store: Store, uid: string) => (await store.deaths.get(uid))?.death.verdict?.cause
const failed = (name: string) => {
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  return runnerPod({ name, phase: 'Failed', state: { terminated } })
}

/** Of the time before: it lived, and its death is only in the spool. */
async function leftBehind(fragile: ReturnType<typeof fragileStore>, spool: PendingWrites, settleMs: number) {
  const world = start({ store: fragile.store, spool, settings: { settleMs } })
  world.cluster.pods(listed([runnerPod({ name: 'a' })]))
  await waitFor(async () => expect(await fragile.real.livePods.page(null, 9)).toHaveLength(1))
  fragile.away = 'all'
  world.cluster.pods({ kind: 'modified', object: failed('a') })
  return world
}

describe('while the store is away', () => {
  it('a death is judged with all of its evidence, where that has only room on disk', async () => {
    const read = { cgroups: 0 }
    const agent = {
      journal: async () => blind('unsupported', 'no journal'),
      file: async () => none(),
      logs: async () => none(),
      cgroups: async () => {
        read.cgroups += 1
        return seen([{ container: 'runner', files: new Map([['memory.failcnt', '3']]), readAt: Date.now() }])
      },
    }
    const agents = { of: () => agent, watch: () => {}, stored: () => {} } as unknown as NodeAgents
    const fragile = fragileStore()
    const disk = await newDisk()
    const world = start({ store: fragile.store, spool: disk(), agents, settings: { mostHeldBytes: 0 } })
    world.cluster.pods(listed([runnerPod({ name: 'a' })]))
    await waitFor(async () => expect(await fragile.real.livePods.page(null, 9)).toHaveLength(1))
    const text = `${new Date().toISOString()} the last line\n`
    world.cluster.tails.set('a/runner', { kind: 'seen', value: { text, cut: false } })
    fragile.away = 'all'
    world.cluster.pods({ kind: 'modified', object: failed('a') })
    await died(world, 1)
    // From the spool: asked again, the node would answer again.
    expect(read.cgroups).toBe(1)
    fragile.away = null
    await waitFor(async () => expect(await cause(fragile.real, 'uid-a')).toBe('oom-container'))
    const parts = await storedParts(fragile.real, 'uid-a')
    expect(parts.get('logs/runners/a/runner.log')).toContain('the last line')
    expect(JSON.parse(parts.get('meta.json') ?? '{}')).toMatchObject({ sources: { cgroup: { ok: true } } })
  })

  it('watching begins, and the pods that went before it are missed when the store answers', async () => {
    const fragile = fragileStore()
    const place = { namespace: 'runners', node: 'n1', pool: null, seenAt: Date.now() }
    for (const pod of ['gone', 'here']) {
      await fragile.real.livePods.put([{ uid: `uid-${pod}`, pod, ...place, object: runnerPod({ name: pod }) }])
    }
    fragile.away = 'all'
    const world = start({ store: fragile.store, spool: (await newDisk())() })
    world.cluster.pods(listed([runnerPod({ name: 'here' }), runnerPod({ name: 'new' })]))
    world.cluster.pods({ kind: 'modified', object: failed('new') })
    await died(world, 1)
    world.cluster.pods({ kind: 'modified', object: failed('here') })
    await died(world, 2)
    fragile.away = null
    await died(world, 3)
    expect(world.deaths.map(({ pod, missed }) => [pod, missed])).toEqual([
      ['new', false],
      ['here', false],
      ['gone', true],
    ])
    await waitFor(async () => expect(await fragile.real.livePods.page(null, 9)).toEqual([]))
  })

  it('says once that it is away, and once that it has everything', async () => {
    const fragile = fragileStore()
    const world = start({ store: fragile.store })
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`)
    world.cluster.pods(listed(names.map((name) => runnerPod({ name }))))
    await waitFor(async () => expect(await fragile.real.livePods.page(null, 99)).toHaveLength(20))
    fragile.away = 'all'
    for (const name of names) world.cluster.pods({ kind: 'modified', object: failed(name) })
    await died(world, 20)
    const count = (words: string) => world.lines.filter(([message]) => message.startsWith(words)).length
    await waitFor(() => expect(count('cannot save live pods')).toBe(1))
    fragile.away = null
    await waitFor(() => expect(count('live pods are saved again')).toBe(1))
    await waitFor(() => expect(count('all deaths of the spool are stored')).toBe(1))
    expect([count('store unavailable'), count('cannot save live pods')]).toEqual([1, 1])
  })
})

describe('what a process before us left in the spool', () => {
  it('and judged is neither judged again nor missed, while it is not in the store yet', async () => {
    const fragile = fragileStore()
    const disk = await newDisk()
    const first = await leftBehind(fragile, disk(), 20)
    await died(first, 1)
    await first.stop()
    fragile.away = 'writes'
    const second = start({ store: fragile.store, spool: disk() })
    second.cluster.pods(listed([]))
    second.cluster.pods({ kind: 'added', object: failed('b') })
    await died(second, 1)
    // Its live pod is removed when it is known what became of it.
    await waitFor(async () => expect(await fragile.real.livePods.page(null, 9)).toEqual([]))
    fragile.away = null
    await waitFor(async () => expect(await cause(fragile.real, 'uid-a')).toBe('oom-container'))
    const stored = await fragile.real.deaths.get('uid-a')
    expect(second.deaths.map(({ pod }) => pod)).toEqual(['b'])
    expect([stored?.death.missed, await fragile.real.deaths.history('uid-a')]).toEqual([false, []])
  })

  it('and did not judge is judged as soon as it is in the store', async () => {
    const fragile = fragileStore()
    const disk = await newDisk()
    const spool = disk()
    const first = await leftBehind(fragile, spool, 60_000)
    await waitFor(() => expect(spool.state().waiting).toBeGreaterThan(0))
    await first.stop()
    expect(first.deaths).toEqual([])
    // Nothing else remembers it.
    await fragile.real.livePods.remove(['uid-a'])
    fragile.away = 'writes'
    const second = start({ store: fragile.store, spool: disk() })
    second.cluster.pods(listed([runnerPod({ name: 'b' })]))
    await waitFor(async () => expect(await fragile.real.livePods.page(null, 9)).toHaveLength(1))
    fragile.away = null
    await died(second, 1)
    expect(second.deaths[0]).toMatchObject({ pod: 'a', cause: 'oom-container', missed: false })
  })
})
