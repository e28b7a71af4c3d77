import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { GitHub } from '#/ports/github.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Store } from '#/ports/store/store.ts'
import { fakeCluster, listed, podEvent, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { storedParts } from '#test/recorder/start-recorder.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'
import type { RecorderPlan, RunningRecorder } from '#test/recorder/start-recorder.ts'

/** Spelled apart, so that nobody takes it for a real one. */
const TOKEN = ['ghp', '016C7e42F292c6912E7710c838347Ae178B4'].join('_')

/** A GitHub that must not be asked. */
const untouchable = new Proxy(
  {},
  {
    get: () => {
      throw new Error('GitHub was asked')
    },
  },
) as GitHub

type Started = RunningRecorder & { readonly cluster: FakeCluster }

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

function start(plan: Omit<RecorderPlan, 'kubernetes'> = {}): Started {
  const cluster = fakeCluster()
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, ...plan })
  running.push(recorder)
  return { ...recorder, cluster }
}

const caughtUp = { kind: 'caught-up', resourceVersion: '1' } as const
const line = (text: string) => ({ kind: 'line', at: new Date().toISOString(), text, cut: false }) as const
const finishedAt = (): string => new Date().toISOString()

async function begin({ cluster }: Started, ...pods: readonly ReturnType<typeof runnerPod>[]): Promise<void> {
  cluster.events(listed([]))
  cluster.pods(listed(pods))
  cluster.pods(caughtUp)
}

const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 20 })
const died = (started: Started, count: number) => waitFor(() => expect(started.deaths.length).toBe(count))
/** A certain death: when it is reported, everything before it has been handled. */
const failedPod = (name: string) => {
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: finishedAt() }
  return runnerPod({ name, phase: 'Failed', state: { terminated } })
}

const readParts = ({ store }: Started, uid: string) => storedParts(store, uid)

describe('the recorder', () => {
  it('records an OOM with its evidence, names it, logs one line and counts it', async () => {
    const started = start()
    await begin(started, runnerPod({ name: 'a', env: [{ name: 'GITHUB_TOKEN', value: TOKEN }] }))
    started.cluster.logs('a', line(`√ Connected to GitHub ${TOKEN}`))
    const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: finishedAt() }
    const dead = runnerPod({
      name: 'a',
      phase: 'Failed',
      state: { terminated },
      env: [{ name: 'GITHUB_TOKEN', value: TOKEN }],
    })
    started.cluster.events({ kind: 'added', object: podEvent(dead, 'Started', 'Started container runner') })
    await started.cluster.taken()
    started.cluster.pods({ kind: 'modified', object: dead })
    await died(started, 1)
    expect(started.deaths[0]).toMatchObject({
      pod: 'a',
      pool: 'linux',
      node: 'n1',
      cause: 'oom-container',
      kind: 'death',
      exitCode: 137,
      signal: 9,
      missed: false,
    })
    const parts = await readParts(started, 'uid-a')
    expect([...parts.keys()]).toEqual(
      expect.arrayContaining([
        'meta.json',
        'kubernetes/pods.json',
        'kubernetes/events.json',
        'logs/runners/a/runner.log',
        'kubernetes/audit',
        'github/jobs',
        'journal/n1',
      ]),
    )
    expect(parts.get('kubernetes/events.json')).toContain('Started container runner')
    expect(parts.get('logs/runners/a/runner.log')).toContain('Connected to GitHub')
    expect([...parts.values()].join('\n')).not.toContain(TOKEN)
    expect(parts.get('github/jobs')).toContain('no credential')
    const logged = started.lines.filter(([message]) => message === 'a runner died')
    expect(logged).toEqual([
      [
        'a runner died',
        expect.objectContaining({
          pod: 'runners/a',
          uid: 'uid-a',
          node: 'n1',
          exitCode: 137,
          signal: 9,
          reason: 'OOMKilled',
          cause: 'oom-container',
          job: null,
        }),
      ],
    ])
    expect(started.exposed()).toContain('signalbox_deaths_total{cause="oom-container",kind="death",pool="linux"} 1\n')
    expect(started.exposed()).toContain('signalbox_node_deaths_total{node="n1"} 1\n')
    expect(started.exposed()).toContain('signalbox_verdict_seconds_count 1\n')
    const blind = [...started.exposed().matchAll(/^signalbox_blind_sources_total\{source="(.*?)"\} 1$/gm)]
    expect(blind.map(([, source]) => source)).toEqual(['kubernetes/audit', 'github/jobs', 'journal', 'cgroup', 'host'])
  })

  it('stores one row for a clean end, without any request', async () => {
    const started = start({ github: untouchable })
    await begin(started, runnerPod({ name: 'a' }))
    for (const text of [
      '2026-06-06 21:30:14Z: Running job: build',
      '2026-06-06 21:31:14Z: Job build completed with result: Succeeded',
    ])
      started.cluster.logs('a', line(text))
    await started.cluster.taken()
    started.cluster.logs('a', { kind: 'ended', why: 'container-ended' })
    const terminated = { exitCode: 0, reason: 'Completed', finishedAt: finishedAt() }
    started.cluster.pods({
      kind: 'modified',
      object: runnerPod({ name: 'a', phase: 'Succeeded', state: { terminated } }),
    })
    await died(started, 1)
    expect(started.deaths[0]).toMatchObject({ cause: 'completed-normally', kind: 'not-a-death' })
    expect((await started.store.deaths.get('uid-a'))?.evidence).toEqual([])
    expect(started.lines.some(([message]) => message === 'a runner ended')).toBe(true)
  })

  it('reads the log again where the last lines have not arrived yet', async () => {
    const started = start({ github: untouchable })
    await begin(started, runnerPod({ name: 'a' }))
    const said = ['Running job: build', 'Job build completed with result: Succeeded'].map(
      (text) => `${new Date().toISOString()} 2026-06-06 21:30:14Z: ${text}\n`,
    )
    started.cluster.logs('a', line('2026-06-06 21:30:14Z: Running job: build'))
    started.cluster.tails.set('a/runner', { kind: 'seen', value: { text: said.join(''), cut: false } })
    const terminated = { exitCode: 0, reason: 'Completed', finishedAt: finishedAt() }
    const object = runnerPod({ name: 'a', phase: 'Succeeded', state: { terminated } })
    started.cluster.pods({ kind: 'modified', object })
    await died(started, 1)
    expect(started.deaths[0]).toMatchObject({ cause: 'completed-normally', kind: 'not-a-death' })
    expect((await started.store.deaths.get('uid-a'))?.evidence).toEqual([])
  })

  it('records fifty pods that are force-deleted at once, each with its last object and the end of its log', async () => {
    const started = start()
    const pods = Array.from({ length: 50 }, (_, index) => runnerPod({ name: `p${index}` }))
    await begin(started, ...pods)
    await started.cluster.taken()
    for (const { metadata } of pods) started.cluster.logs(metadata.name, line(`I am ${metadata.name}`))
    await started.cluster.taken()
    for (const object of pods) started.cluster.pods({ kind: 'deleted', object })
    await died(started, 50)
    for (const { metadata } of pods) {
      const parts = await readParts(started, metadata.uid)
      expect(parts.get('kubernetes/pods.json')).toContain('signalbox.dev/last-seen')
      expect(parts.get(`logs/runners/${metadata.name}/runner.log`)).toContain(`I am ${metadata.name}`)
    }
    expect(await started.store.deaths.list({ limit: 100 })).toHaveLength(50)
  })

  it('marks a pod that went between two runs as missed, with its last object', async () => {
    const first = start()
    await begin(first, runnerPod({ name: 'a' }), runnerPod({ name: 'b' }))
    await waitFor(async () => expect(await first.store.livePods.page(null, 10)).toHaveLength(2))
    await first.stop()
    const second = start({ store: first.store })
    const killing = podEvent(runnerPod({ name: 'a' }), 'Killing', 'Stopping container runner')
    second.cluster.standing.set('pods/b', runnerPod({ name: 'b' }))
    second.cluster.pods(listed([runnerPod({ name: 'b' })]))
    second.cluster.events(listed([killing]))
    await died(second, 1)
    expect(second.deaths[0]).toMatchObject({ pod: 'a', missed: true })
    const parts = await readParts(second, 'uid-a')
    expect(parts.get('kubernetes/events.json')).toContain('Killing')
    expect(parts.get('logs/runners/a/runner')).toContain('is gone')
    await waitFor(async () => expect((await second.store.livePods.page(null, 10)).map(({ pod }) => pod)).toEqual(['b']))
  })

  it('does not report a death again after a restart', async () => {
    const first = start()
    await begin(first, runnerPod({ name: 'a' }))
    const dead = failedPod('a')
    first.cluster.pods({ kind: 'modified', object: dead })
    await died(first, 1)
    await first.stop()
    const second = start({ store: first.store })
    await begin(second, dead, failedPod('b'))
    await died(second, 1)
    await second.stop()
    expect(second.deaths.map(({ pod }) => pod)).toEqual(['b'])
  })

  it.each([
    ['still stands', true],
    ['is gone by then', false],
  ])('judges a recorded death after a restart, where the pod %s', async (_, stands) => {
    const first = start({ settings: { settleMs: 60_000 } })
    await begin(first, runnerPod({ name: 'a' }))
    const dead = failedPod('a')
    await waitFor(async () => expect(await first.store.livePods.page(null, 10)).toHaveLength(1))
    first.cluster.pods({ kind: 'modified', object: dead })
    await waitFor(async () => expect(await first.store.deaths.list({ limit: 10 })).toHaveLength(1))
    await first.stop()
    expect(first.deaths).toEqual([])
    const second = start({ store: first.store })
    await begin(second, ...(stands ? [dead] : []))
    await died(second, 1)
    expect(second.deaths[0]).toMatchObject({ cause: 'oom-container', missed: false })
    expect((await first.store.deaths.get('uid-a'))?.death.verdict?.cause).toBe('oom-container')
  })

  it('marks a pod that went while the API server was unreachable as missed, with the reason', async () => {
    const started = start()
    await begin(started, runnerPod({ name: 'a' }))
    started.cluster.pods({ kind: 'blind', reason: { code: 'unreachable', detail: 'connection refused' } })
    started.cluster.pods(listed([], [runnerPod({ name: 'a' })]))
    await died(started, 1)
    expect(started.deaths[0]).toMatchObject({ missed: true })
    expect((await readParts(started, 'uid-a')).get('meta.json')).toContain(
      'nothing was watching when it went: unreachable: connection refused',
    )
  })

  it('does not record a pod that only lost its label', async () => {
    const started = start()
    await begin(started, runnerPod({ name: 'a' }), runnerPod({ name: 'b' }))
    started.cluster.standing.set('pods/a', runnerPod({ name: 'a' }))
    for (const name of ['a', 'b']) started.cluster.pods({ kind: 'deleted', object: runnerPod({ name }) })
    await died(started, 1)
    await started.stop()
    expect(started.deaths.map(({ pod }) => pod)).toEqual(['b'])
    expect((await started.store.deaths.list({ limit: 10 })).map(({ pod }) => pod)).toEqual(['b'])
  })

  it('stores a death when the store is back', async () => {
    const store = memoryStore()
    let isAway = true
    const record: Store['deaths']['record'] = async (...row) => {
      if (isAway) throw new StoreUnavailable('restarting')
      await store.deaths.record(...row)
    }
    const started = start({ store: { ...store, deaths: { ...store.deaths, record } } })
    await begin(started, runnerPod({ name: 'a' }))
    started.cluster.pods({ kind: 'deleted', object: runnerPod({ name: 'a' }) })
    await died(started, 1)
    expect(await store.deaths.list({ limit: 10 })).toEqual([])
    isAway = false
    await waitFor(async () => expect((await store.deaths.list({ limit: 10 }))[0]?.verdict?.cause).toBeTypeOf('string'))
    expect((await store.deaths.get('uid-a'))?.evidence.length).toBeGreaterThan(5)
  })
})
