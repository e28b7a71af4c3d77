import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Store } from '#/ports/store/store.ts'
import { fakeCluster, listed, podEvent, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { storedParts } from '#test/recorder/start-recorder.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'

type Started = RunningRecorder & { readonly cluster: FakeCluster }

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

function start(store: Store = memoryStore(), startWithinMs = 30_000): Started {
  const cluster = fakeCluster()
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, store, settings: { startWithinMs } })
  running.push(recorder)
  cluster.events(listed([]))
  return { ...recorder, cluster }
}

/** Born a minute ago. */
const WAITING = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "runner:1": not found' } }
const stuck = (name: string) => runnerPod({ name, phase: 'Pending', state: WAITING })
const working = runnerPod({ name: 'a', state: { running: { startedAt: new Date().toISOString() } } })

const failed = (name: string) => {
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  return runnerPod({ name, phase: 'Failed', state: { terminated } })
}

const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 20 })
const listPods = (rows: readonly { readonly pod: string }[]) => rows.map(({ pod }) => pod).toSorted()
const reported = (started: Started, count: number) => waitFor(() => expect(started.deaths.length).toBe(count))
const cause = async (store: Store) => (await store.deaths.get('uid-a'))?.death.verdict?.cause

describe('a runner that cannot start', () => {
  it('is recorded once, when it should have started, with the cause', async () => {
    const started = start()
    started.cluster.pods(listed([stuck('a')]))
    await reported(started, 1)
    expect(started.deaths[0]).toMatchObject({ pod: 'a', cause: 'image-pull', kind: 'never-started', missed: false })
    expect(started.lines.map(([message]) => message)).toContain('a runner never started')
    const parts = await storedParts(started.store, 'uid-a')
    expect(parts.get('kubernetes/pods.json')).toContain('ImagePullBackOff')
    started.cluster.pods({ kind: 'modified', object: stuck('a') })
    // Those that come after it are found by the next sweep, and by one more.
    for (const [index, name] of ['b', 'c'].entries()) {
      started.cluster.pods({ kind: 'added', object: stuck(name) })
      await reported(started, 2 + index)
    }
    expect(listPods(started.deaths)).toEqual(['a', 'b', 'c'])
  })

  it('is not recorded before its time', async () => {
    const started = start(memoryStore(), 600_000)
    const creationTimestamp = new Date(Date.now() - 3_600_000).toISOString()
    const old = runnerPod({ name: 'old', phase: 'Pending', state: WAITING, metadata: { creationTimestamp } })
    started.cluster.pods(listed([stuck('a'), old]))
    await reported(started, 1)
    expect(listPods(await started.store.deaths.list({ limit: 10 }))).toEqual(['old'])
  })

  it('is not recorded while no rule names the cause: a large image takes long to pull', async () => {
    const started = start()
    const pulling = runnerPod({ name: 'a', phase: 'Pending', state: { waiting: { reason: 'ContainerCreating' } } })
    started.cluster.events({ kind: 'added', object: podEvent(pulling, 'Pulling', 'Pulling image "runner:1"') })
    started.cluster.pods(listed([pulling, stuck('b')]))
    await reported(started, 1)
    expect(listPods(await started.store.deaths.list({ limit: 10 }))).toEqual(['b'])
  })

  it('is not reported again when it fails for the same reason', async () => {
    const started = start()
    started.cluster.pods(listed([stuck('a')]))
    await reported(started, 1)
    started.cluster.pods({ kind: 'deleted', object: stuck('a') })
    await waitFor(async () => {
      expect((await storedParts(started.store, 'uid-a')).get('kubernetes/pods.json')).toContain('last-seen')
      expect(await started.store.livePods.page(null, 10)).toEqual([])
    })
    expect(started.deaths).toHaveLength(1)
    expect(await started.store.deaths.list({ limit: 10 })).toHaveLength(1)
  })

  it('is reported again with its real end, when it started after all', async () => {
    const started = start()
    started.cluster.pods(listed([stuck('a')]))
    await reported(started, 1)
    const first = started.deaths[0]?.diedAt ?? 0
    started.cluster.pods({ kind: 'modified', object: working })
    const finishedAt = new Date(Date.now() + 1000).toISOString()
    const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt }
    started.cluster.pods({
      kind: 'modified',
      object: runnerPod({ name: 'a', phase: 'Failed', state: { terminated } }),
    })
    await reported(started, 2)
    expect(started.deaths[1]).toMatchObject({ cause: 'oom-container', kind: 'death' })
    const [row, ...others] = await started.store.deaths.list({ limit: 10 })
    expect([row?.verdict?.cause, others]).toEqual(['oom-container', []])
    expect(row?.diedAt).toBeGreaterThan(first)
    expect((await storedParts(started.store, 'uid-a')).get('kubernetes/pods.json')).toContain('OOMKilled')
  })

  it('does not overwrite an end that came while the failed start was being judged', async () => {
    const started = start()
    const held = Promise.withResolvers<void>()
    const { get } = started.cluster.kubernetes
    const read = vi.spyOn(started.cluster.kubernetes, 'get')
    read.mockImplementationOnce(async (...asked) => {
      await held.promise
      return get(...asked)
    })
    started.cluster.pods(listed([stuck('a')]))
    await waitFor(() => expect(read).toHaveBeenCalledTimes(1))
    started.cluster.pods({ kind: 'modified', object: failed('a') })
    await reported(started, 1)
    held.resolve()
    // The whole way of another one is longer than what is left of its own.
    started.cluster.pods({ kind: 'added', object: failed('b') })
    await reported(started, 2)
    expect(started.deaths.map(({ pod, cause: found }) => `${pod} ${found}`)).toEqual([
      'a oom-container',
      'b oom-container',
    ])
    expect(await cause(started.store)).toBe('oom-container')
  })

  it('is not reported again after a restart, and its end is still recorded', async () => {
    const first = start()
    first.cluster.pods(listed([stuck('a')]))
    await reported(first, 1)
    await first.stop()
    const second = start(first.store)
    second.cluster.pods(listed([stuck('a'), stuck('b')]))
    await reported(second, 1)
    expect(listPods(second.deaths)).toEqual(['b'])
    await second.stop()
    const third = start(first.store)
    third.cluster.pods(listed([failed('a')]))
    await reported(third, 1)
    expect(await cause(first.store)).toBe('oom-container')
  })
})

const QUOTA =
  'Error creating: pods "linux-xl-7hn4d" is forbidden: exceeded quota: ci, requested: requests.cpu=8, used: requests.cpu=0, limited: requests.cpu=4'

function refusal(kind: string, name = 'linux-xl', uid = 'uid-owner') {
  const event = podEvent(runnerPod({ name, uid }), 'FailedCreate', QUOTA)
  return { ...event, involvedObject: { kind, namespace: 'runners', name, uid } }
}

const owner = (labels: object) => ({
  ...runnerPod({ name: 'linux-xl', uid: 'uid-owner' }),
  kind: 'Job',
  spec: { template: { metadata: { labels } } },
})

/** A certain death: when it is reported, everything before it has been handled. */
async function refuseAnother({ cluster, deaths }: Started): Promise<void> {
  cluster.standing.set('jobs/another', owner({ x: '1' }))
  cluster.events({ kind: 'added', object: refusal('Job', 'another', 'uid-another') })
  await waitFor(() => expect(deaths.map(({ uid }) => uid)).toContain('uid-another'))
}

describe('a runner whose pod was refused', () => {
  it('is recorded once with its owner, and quotes the quota message', async () => {
    const started = start()
    started.cluster.standing.set('jobs/linux-xl', owner({ x: '1', app: 'linux-xl' }))
    for (let time = 0; time < 3; time += 1) started.cluster.events({ kind: 'added', object: refusal('Job') })
    await reported(started, 1)
    expect(started.deaths[0]).toMatchObject({
      uid: 'uid-owner',
      pod: 'linux-xl-7hn4d',
      pool: 'linux-xl',
      cause: 'quota-exceeded',
      kind: 'never-started',
      node: null,
    })
    const parts = await storedParts(started.store, 'uid-owner')
    expect(parts.get('kubernetes/events.json')).toContain('exceeded quota: ci')
    expect(parts.get('meta.json')).toContain('there was no pod')
    expect(await started.store.deaths.list({ limit: 10 })).toHaveLength(1)
    await started.stop()
    const second = start(started.store)
    second.cluster.standing.set('jobs/linux-xl', owner({ x: '1' }))
    second.cluster.events({ kind: 'added', object: refusal('Job') })
    await refuseAnother(second)
    expect(second.deaths).toHaveLength(1)
  })

  it.each([
    ['whose pods are no runners', 'Job', owner({ app: 'web' })],
    ['that is gone', 'Job', null],
    ['of a kind that makes no runners', 'DaemonSet', owner({ x: '1' })],
  ])('is not one of an owner %s', async (_, kind, standing) => {
    const started = start()
    if (standing !== null) started.cluster.standing.set('jobs/linux-xl', standing)
    started.cluster.events({ kind: 'added', object: refusal(kind) })
    await refuseAnother(started)
    expect((await started.store.deaths.list({ limit: 10 })).map(({ uid }) => uid)).toEqual(['uid-another'])
  })

  it.each([
    [
      'by a StatefulSet',
      'create Pod linux-xl-0 in StatefulSet linux-xl failed error: pods "linux-xl-0" is forbidden: exceeded quota: ci, requested: pods=1, used: pods=0, limited: pods=0',
      'quota-exceeded',
    ],
    [
      'by a quota without a status yet',
      'Error creating: pods "linux-xl-7hn4d" is forbidden: status unknown for quota: ci, resources: pods',
      'quota-exceeded',
    ],
    [
      'by the limits of the namespace',
      'Error creating: pods "linux-xl-7hn4d" is forbidden: maximum cpu usage per Container is 2, but limit is 4',
      'start-failed',
    ],
  ])('is judged never to have started when it was refused %s', async (_, message, cause) => {
    const started = start()
    started.cluster.standing.set('jobs/linux-xl', owner({ x: '1' }))
    started.cluster.events({ kind: 'added', object: { ...refusal('Job'), message } })
    await reported(started, 1)
    expect(started.deaths[0]).toMatchObject({ cause, kind: 'never-started' })
  })

  it('is found in the record of ARC, because ARC creates no event', async () => {
    const started = start()
    const status = { phase: 'Failed', reason: 'InvalidPod', message: `Failed to create the pod: ${QUOTA}` }
    const runner = {
      ...runnerPod({ name: 'linux-k2xvq-runner-7hn4d', uid: 'uid-er' }),
      kind: 'EphemeralRunner',
      status,
    }
    started.cluster.runners(listed([runner]))
    await reported(started, 1)
    expect(started.deaths[0]).toMatchObject({ uid: 'uid-er', cause: 'quota-exceeded', pool: 'linux' })
    expect((await storedParts(started.store, 'uid-er')).get('kubernetes/ephemeralrunners.json')).toContain('InvalidPod')
  })

  it('is recorded by a later attempt when the first one fails', async () => {
    const started = start()
    started.cluster.standing.set('jobs/linux-xl', owner({ x: '1' }))
    vi.spyOn(started.cluster.kubernetes, 'list').mockRejectedValueOnce(new Error('not this time'))
    started.cluster.events({ kind: 'added', object: refusal('Job') })
    await reported(started, 1)
    expect(started.lines).toContainEqual([
      'cannot record a refused pod: will retry',
      { owner: 'Job runners/linux-xl', uid: 'uid-owner', why: 'not this time', retrySeconds: 1 },
    ])
  })

  it('logs why the owner cannot be read', async () => {
    const started = start()
    const read = vi.spyOn(started.cluster.kubernetes, 'get')
    read.mockResolvedValue({ kind: 'blind', reason: { code: 'forbidden', detail: 'no right to get jobs' } })
    started.cluster.events({ kind: 'added', object: refusal('Job') })
    await waitFor(() =>
      expect(started.lines).toContainEqual([
        'cannot read the owner of a refused pod',
        { owner: 'Job runners/linux-xl', why: 'forbidden: no right to get jobs' },
      ]),
    )
    expect(started.deaths).toEqual([])
  })
})
