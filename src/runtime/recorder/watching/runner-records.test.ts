import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { startRecorder, storedParts } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'
import { createRunnerRecords, watchRunnerRecords } from './runner-records.ts'

const JOB = { jobDisplayName: 'build', jobRepositoryName: 'acme/app', workflowRunId: 9 }

function record(uid: string, status: object = JOB): KubeObject {
  return {
    apiVersion: 'actions.github.com/v1alpha1',
    kind: 'EphemeralRunner',
    metadata: { name: 'a', namespace: 'runners', uid, resourceVersion: '1' },
    spec: { githubConfigUrl: 'https://github.com/acme', spec: { containers: [{ name: 'runner' }] } },
    status: { phase: 'Running', ...status },
  }
}

const ownedBy = (uid: string) => ({ metadata: { ownerReferences: [{ kind: 'EphemeralRunner', name: 'a', uid }] } })
const makePod = (uid: string): KubeObject => runnerPod({ name: 'a', ...ownedBy(uid) })

describe("ARC's records of runners", () => {
  const MINUTE = 60_000
  const deleted = (uid: string) => ({ kind: 'deleted', object: record(uid) }) as const

  it('are found by UID, so that a new runner with the same name is not mistaken', () => {
    const records = createRunnerRecords({ now: () => 0 })
    records.hear(listed([record('r1')]))
    records.hear({ kind: 'added', object: record('r2', {}) })
    expect(records.ofPod(makePod('r1'))?.['status']).toMatchObject(JOB)
    expect(records.ofPod(makePod('r2'))?.['status']).toEqual({ phase: 'Running' })
    expect(records.ofPod(makePod('r3'))).toBeNull()
    expect(records.ofPod(runnerPod({ name: 'a' }))).toBeNull()
  })

  it('are kept for a quarter of an hour after ARC has deleted them', () => {
    let now = 0
    const records = createRunnerRecords({ now: () => now })
    records.hear(listed([record('r1'), record('r2')]))
    records.hear(deleted('r1'))
    records.hear(listed([], [record('r2')]))
    now = 15 * MINUTE
    records.hear(deleted('r3'))
    expect(['r1', 'r2', 'r3'].map((uid) => records.ofPod(makePod(uid)) !== null)).toEqual([true, true, true])
    now = 15 * MINUTE + 1
    records.hear(deleted('r4'))
    expect(['r1', 'r2', 'r3'].map((uid) => records.ofPod(makePod(uid)) !== null)).toEqual([false, false, true])
  })

  it('are kept in a bounded number', () => {
    const records = createRunnerRecords({ now: () => 0 })
    for (let index = 0; index <= 10_000; index += 1) records.hear(deleted(`r${index}`))
    expect(records.ofPod(makePod('r0'))).toBeNull()
    expect(records.ofPod(makePod('r1'))).not.toBeNull()
  })

  it('are held without the template of the pod', async () => {
    let trim: Trim | undefined
    const watch: Kubernetes['watch'] = async function* (request) {
      trim = request.trim
      yield { kind: 'caught-up', resourceVersion: '1' }
    }
    const records = createRunnerRecords({ now: () => 0 })
    await watchRunnerRecords({ kubernetes: { watch }, records, hearRunner: () => {} }, '', new AbortController().signal)
    expect(trim?.(record('r1'))).toMatchObject({
      spec: { githubConfigUrl: 'https://github.com/acme' },
      status: { phase: 'Running', ...JOB },
    })
    expect(trim?.(record('r1'))['spec']).not.toHaveProperty('spec')
  })
})

describe('a death whose runner ARC has a record of', () => {
  const running: RunningRecorder[] = []
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop()
  })

  const killed = { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() } }

  async function die(cluster: FakeCluster, uid: string): Promise<RunningRecorder> {
    const recorder = startRecorder({ kubernetes: cluster.kubernetes })
    running.push(recorder)
    cluster.events(listed([]))
    cluster.runners(listed([record('r1')]))
    cluster.runners({ kind: 'deleted', object: record('r1') })
    cluster.pods(listed([makePod(uid)]))
    const dead = runnerPod({ name: 'a', phase: 'Failed', state: killed, ...ownedBy(uid) })
    cluster.pods({ kind: 'modified', object: dead })
    await vi.waitFor(() => expect(recorder.deaths.length).toBe(1), { timeout: 30_000, interval: 20 })
    return recorder
  }

  it('has its job, though ARC deleted the record and GitHub is not asked', async () => {
    const { deaths, store } = await die(fakeCluster(), 'r1')
    const url = 'https://github.com/acme/app/actions/runs/9'
    expect(deaths[0]).toMatchObject({ repository: 'acme/app', job: { id: null, name: 'build', url } })
    expect(deaths[0]?.sentence).toContain('while it ran job "build" of acme/app')
    const parts = await storedParts(store, 'uid-a')
    expect(parts.get('kubernetes/ephemeralrunners.json')).toContain('build')
    expect(parts.get('meta.json')).toContain('as it was last seen')
  })

  it('does not get the record of a new runner with the same name', async () => {
    const cluster = fakeCluster()
    cluster.standing.set('ephemeralrunners/a', record('r1'))
    const { deaths, store } = await die(cluster, 'r0')
    expect(deaths[0]).toMatchObject({ repository: null, job: null })
    expect((await storedParts(store, 'uid-a')).get('kubernetes/ephemeralrunners.json')).not.toContain('build')
  })
})
