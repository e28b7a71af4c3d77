import { expect, it, vi } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { NodeAgent } from '#/ports/node-agents.ts'
import type { LivePod } from '#/ports/store/live-pods.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import type { Store } from '#/ports/store/store.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import { storedParts } from '#test/recorder/start-recorder.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'

/** Live pods are saved in batches, every half second. */
const PATIENCE = { timeout: 30_000 }

/** Records which live pods are saved. */
function overheard(store: Store): { readonly store: Store; readonly put: string[] } {
  const put: string[] = []
  const livePods = {
    ...store.livePods,
    put: async (given: readonly LivePod[]) => {
      put.push(...given.map(({ pod }) => pod))
      await store.livePods.put(given)
    },
  }
  return { store: { ...store, livePods }, put }
}

it('a restart saves only live pods that changed or are new', async () => {
  const cluster = fakeCluster()
  const first = startRecorder({ kubernetes: cluster.kubernetes })
  cluster.pods(listed(['a', 'b'].map((name) => runnerPod({ name }))))
  await vi.waitFor(async () => expect(await first.store.livePods.page(null, 10)).toHaveLength(2), PATIENCE)
  await first.stop()
  const { store, put } = overheard(first.store)
  const later = fakeCluster()
  const second = startRecorder({ kubernetes: later.kubernetes, store })
  const changed = runnerPod({ name: 'b', phase: 'Pending' })
  later.pods(listed([runnerPod({ name: 'a' }), changed, runnerPod({ name: 'c' })]))
  await vi.waitFor(() => expect(put.toSorted()).toEqual(['b', 'c']), PATIENCE)
  await second.stop()
})

it('a death right after a restart waits for the agent of its node to reconnect', async () => {
  const agent: NodeAgent = {
    journal: async () => blind('unsupported', 'this node has no journal'),
    file: async () => none(),
    cgroups: async () => none(),
    logs: async () => none(),
  }
  let looks = 0
  const away = blind('not-asked', 'no agent serves it')
  const of = () => ((looks += 1) < 3 ? away : agent)
  const cluster = fakeCluster()
  const settings = { agentsBackMs: 60_000 }
  const started = startRecorder({
    kubernetes: cluster.kubernetes,
    agents: { of, watch: () => {}, stored: () => {} },
    settings,
  })
  cluster.events(listed([]))
  cluster.pods(listed([runnerPod({ name: 'a' })]))
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  cluster.pods({ kind: 'modified', object: runnerPod({ name: 'a', phase: 'Failed', state: { terminated } }) })
  await vi.waitFor(() => expect(started.deaths).toHaveLength(1), PATIENCE)
  expect((await storedParts(started.store, 'uid-a')).get('meta.json')).toContain('this node has no journal')
  await started.stop()
})

it('the log that the kubelet serves is stored before the agent of its node is back', async () => {
  const cluster = fakeCluster()
  const away = blind('not-asked', 'no agent serves it')
  const started = startRecorder({
    kubernetes: cluster.kubernetes,
    agents: { of: () => away, watch: () => {}, stored: () => {} },
    settings: { agentsBackMs: 3_600_000 },
  })
  cluster.events(listed([]))
  cluster.pods(listed([runnerPod({ name: 'a' })]))
  cluster.tails.set('a/runner', seen({ text: '2026-11-18T07:00:00Z Running job: build\n', cut: false }))
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  cluster.pods({ kind: 'modified', object: runnerPod({ name: 'a', phase: 'Failed', state: { terminated } }) })
  await vi.waitFor(
    async () =>
      expect((await storedParts(started.store, 'uid-a')).get('logs/runners/a/runner.log')).toContain('Running job'),
    PATIENCE,
  )
  expect(started.deaths).toEqual([])
  await started.stop()
})

it('a log that was not read to its end is not stored as empty', async () => {
  const cluster = fakeCluster()
  const store = memoryStore()
  const written: (readonly EvidencePart[])[] = []
  const record: Store['deaths']['record'] = async (row, parts) => {
    written.push(parts)
    await store.deaths.record(row, parts)
  }
  const started = startRecorder({
    kubernetes: cluster.kubernetes,
    store: { ...store, deaths: { ...store.deaths, record } },
  })
  cluster.events(listed([]))
  cluster.pods(listed([runnerPod({ name: 'a' })]))
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  cluster.pods({ kind: 'modified', object: runnerPod({ name: 'a', phase: 'Failed', state: { terminated } }) })
  await vi.waitFor(() => expect(written.length).toBeGreaterThan(0), PATIENCE)
  const logs = written[0]?.filter(({ source }) => source.startsWith('logs/'))
  expect(logs).toMatchObject([
    { source: 'logs/runners/a/runner', observed: 'blind', reason: 'not-asked: nothing of the log was read yet' },
  ])
  await started.stop()
})

it.each([
  ['is not empty where the pod went before a line was heard', null, undefined],
  ['is empty where it was read to its end', { kind: 'ended', why: 'container-ended' } as const, ''],
])('a log %s', async (_what, last, content) => {
  const cluster = fakeCluster()
  const started = startRecorder({ kubernetes: cluster.kubernetes })
  cluster.events(listed([]))
  cluster.pods(listed([runnerPod({ name: 'a' })]))
  if (last !== null) cluster.logs('a', last)
  cluster.pods({ kind: 'deleted', object: runnerPod({ name: 'a' }) })
  await vi.waitFor(() => expect(started.deaths).toHaveLength(1), PATIENCE)
  expect((await storedParts(started.store, 'uid-a')).get('logs/runners/a/runner.log')).toBe(content)
  await started.stop()
})
