import { describe, expect, it, vi } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { POOL_LABEL } from '#/core/pools/own-pod.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'

const settings = { alsoWatched: [POOL_LABEL] }

function ownPod(poller: object, change: { readonly phase: string; readonly metadata?: object }): KubeObject {
  const { phase, metadata = {} } = change
  const pod = runnerPod({ name: 'linux-1', metadata: { labels: { [POOL_LABEL]: 'linux' }, ...metadata } })
  const status = {
    phase,
    initContainerStatuses: [{ name: 'poller', image: 'runner:1', restartCount: 0, state: poller }],
    containerStatuses: [
      { name: 'runner', image: 'runner:1', restartCount: 0, state: { waiting: { reason: 'PodInitializing' } } },
    ],
  }
  return { ...pod, status }
}

const WAITING = ownPod({ running: { startedAt: new Date().toISOString() } }, { phase: 'Pending' })

describe('the recorder with pools of our own', () => {
  it('records their pods beside the others, and one that was retired is no death', async () => {
    const cluster = fakeCluster()
    const recorder = startRecorder({ kubernetes: cluster.kubernetes, settings })
    cluster.pods(listed([runnerPod({ name: 'arc-1' })]))
    cluster.ownPods(listed([WAITING]))
    await cluster.taken()
    const deletionTimestamp = new Date(Date.now() + 30_000).toISOString()
    const metadata = { deletionTimestamp, deletionGracePeriodSeconds: 30 }
    const terminated = { exitCode: 143, reason: 'Error', finishedAt: new Date().toISOString() }
    cluster.ownPods({ kind: 'modified', object: ownPod({ terminated }, { phase: 'Failed', metadata }) })
    const killed = { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() } }
    cluster.pods({ kind: 'modified', object: runnerPod({ name: 'arc-1', phase: 'Failed', state: killed }) })
    await vi.waitFor(() => expect(recorder.deaths).toHaveLength(2), { timeout: 60_000 })
    const deaths = new Map(recorder.deaths.map(({ pod, pool, kind }) => [pod, `${pool} ${kind}`]))
    expect(deaths.get('arc-1')).toBe('linux death')
    expect(deaths.get('linux-1')).toBe('linux not-a-death')
    await recorder.stop()
  })

  it('misses no pod because the other list does not have it', async () => {
    const store = memoryStore()
    const { uid, name: pod } = WAITING.metadata
    const known = { uid, namespace: 'runners', pod, node: 'n1', pool: 'linux', seenAt: Date.now(), object: WAITING }
    await store.livePods.put([known])
    const cluster = fakeCluster()
    const recorder = startRecorder({ kubernetes: cluster.kubernetes, settings, store })
    cluster.pods(listed([]))
    await cluster.taken()
    cluster.ownPods(listed([WAITING]))
    await cluster.taken()
    expect(await store.livePods.page(null, 10)).toHaveLength(1)
    await recorder.stop()
    expect([recorder.deaths, await store.deaths.list({ limit: 10 })]).toEqual([[], []])
  })
})
