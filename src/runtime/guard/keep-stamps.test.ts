import { describe, expect, it, vi } from 'vitest'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Kubernetes, PatchRequest, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { LogFields } from '#/ports/log.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { listed } from '#test/recorder/fake-cluster.ts'
import { createBusyLists } from './busy-lists.ts'
import { guardMetrics } from './guard-metrics.ts'
import { keepStamps } from './keep-stamps.ts'
import { RunnerView } from './runner-view.ts'

const WAIT = { timeout: 30_000, interval: 5 }
const STAMP = { 'signalbox.dev/working': 'true' }
const JOB = { jobDisplayName: 'build', jobRepositoryName: 'acme/app' }
const RUNNING = { running: {} }
const ENDED = { terminated: { exitCode: 0, finishedAt: '2026-11-18T10:00:00Z' } }

type Wish = {
  readonly state?: object
  readonly labels?: object
  readonly annotations?: object
  readonly version?: string
}

function makePod({ state = RUNNING, labels = {}, annotations = {}, version = '1' }: Wish = {}): KubeObject {
  const ownerReferences = [{ apiVersion: 'x/v1', kind: 'EphemeralRunner', name: 'a', uid: 'record-a' }]
  const meta = { name: 'a', namespace: 'runners', uid: 'pod-a', resourceVersion: version, ownerReferences }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...meta, labels: { ...labels }, annotations: { ...annotations } },
    spec: { restartPolicy: 'Never' },
    status: { phase: 'Running', containerStatuses: [{ name: 'runner', state }] },
  }
}

function makeRecord(status: object, labels: Readonly<Record<string, string>> = {}): KubeObject {
  return {
    apiVersion: 'actions.github.com/v1alpha1',
    kind: 'EphemeralRunner',
    metadata: { name: 'a', namespace: 'runners', uid: 'record-a', resourceVersion: '7', labels },
    spec: { githubConfigUrl: 'https://github.com/acme' },
    status: { phase: 'Running', runnerName: 'a', ...status },
  }
}

/** Sleeps end only by their signal, or when the test moves the time. */
function handClock() {
  let now = Date.parse('2026-11-18T12:00:00Z')
  const sleepers = new Set<{ readonly at: number; readonly end: () => void }>()
  return {
    now: () => now,
    sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const end = (): void => {
          sleepers.delete(sleeper)
          resolve()
        }
        const sleeper = { at: now + ms, end }
        if (ms === 0 || signal?.aborted === true) return resolve()
        sleepers.add(sleeper)
        signal?.addEventListener('abort', sleeper.end, { once: true })
      }),
    pass: (ms: number): void => {
      now += ms
      for (const one of sleepers) if (one.at <= now) one.end()
    },
  }
}

type Plan = { readonly answer?: WriteOutcome; readonly busy?: () => boolean }

function start({ answer = { kind: 'done', object: null }, busy }: Plan = {}) {
  const patches: PatchRequest[] = []
  const errors: LogFields[] = []
  const clock = handClock()
  const view = new RunnerView()
  const stop = new AbortController()
  const metrics = createMetrics()
  const runner = {
    id: 1,
    name: 'a',
    os: 'linux',
    status: 'online',
    ephemeral: true,
    labels: [],
    groupId: null,
  } as const
  const list = async () => (busy === undefined ? blind('timeout', 'x') : seen([{ ...runner, busy: busy() }]))
  const github = { runners: { list } } as unknown as Parameters<typeof createBusyLists>[0]['github']
  const lists = createBusyLists({ github, clock, githubUrl: 'https://api.github.com', owners: [] })
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (_: string, fields = {}) => void errors.push(fields),
  }
  const kubernetes: Pick<Kubernetes, 'patch'> = { patch: async (request) => (patches.push(request), answer) }
  const means = {
    kubernetes,
    view,
    busy: lists,
    glass: { record: async () => {} },
    term: { epoch: () => 1 },
    clock,
    log,
  }
  const running = keepStamps({ ...means, metrics: guardMetrics(metrics) }, stop.signal)
  const end = async (): Promise<void> => {
    stop.abort()
    await running
  }
  return { view, patches, errors, clock, metrics, [Symbol.asyncDispose]: end }
}

const changes = (patches: readonly PatchRequest[]): readonly string[] =>
  patches.map(({ resource, patch }) => {
    const text = JSON.stringify(patch)
    return `${text.includes('signalbox.dev/working') ? 'set' : 'clear'} ${resource.plural}`
  })

describe('serve keeps the stamps', () => {
  it('on a runner that ARC gave a job, and on its record, at the version that was judged', async () => {
    await using guard = start()
    guard.view.hear('runners', 'runners', listed([makeRecord(JOB)]))
    guard.view.hear('pods', 'runners', listed([makePod()]))
    await vi.waitFor(() => expect(changes(guard.patches)).toEqual(['set pods', 'set ephemeralrunners']), WAIT)
    expect(guard.patches[0]?.preconditions).toEqual({ uid: 'pod-a', resourceVersion: '1' })
    expect(guard.metrics.expose()).toContain('signalbox_guard_changes_total{change="set",outcome="done"} 2')
  })

  it('off a runner whose container has ended, when the watch reports it', async () => {
    await using guard = start()
    guard.view.hear('runners', 'runners', listed([makeRecord(JOB, STAMP)]))
    guard.view.hear('pods', 'runners', listed([makePod({ labels: STAMP })]))
    guard.view.hear('pods', 'runners', {
      kind: 'modified',
      object: makePod({ labels: STAMP, state: ENDED, version: '2' }),
    })
    await vi.waitFor(() => expect(changes(guard.patches)).toEqual(['clear pods', 'clear ephemeralrunners']), WAIT)
    expect(guard.patches[0]?.preconditions).toEqual({ uid: 'pod-a', resourceVersion: '2' })
  })

  it('as they are while the pods are not watched', async () => {
    await using guard = start()
    guard.view.hear('runners', 'runners', listed([makeRecord(JOB)]))
    guard.view.hear('pods', 'runners', { kind: 'added', object: makePod({ labels: STAMP, state: ENDED }) })
    guard.view.hear('pods', 'runners', { kind: 'blind', reason: { code: 'timeout', detail: 'x' } })
    guard.clock.pass(15_000)
    await vi.waitFor(() => expect(guard.metrics.expose()).toContain('signalbox_guard_unknown_pods 1'), WAIT)
    expect(guard.patches).toEqual([])
  })

  it('off a runner that GitHub lists as not busy long enough after its job was seen', async () => {
    let isBusy = true
    await using guard = start({ busy: () => isBusy })
    guard.view.hear('runners', 'runners', listed([makeRecord(JOB, STAMP)]))
    guard.view.hear('pods', 'runners', listed([makePod({ labels: STAMP })]))
    await vi.waitFor(() => expect(guard.metrics.expose()).toContain('signalbox_guard_stamped_pods'), WAIT)
    isBusy = false
    const step = async (): Promise<void> => {
      guard.clock.pass(15_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (let passed = 0; passed < 90_000; passed += 15_000) await step()
    expect(guard.patches).toEqual([])
    await vi.waitFor(async () => {
      await step()
      expect(changes(guard.patches)).toContain('clear pods')
    }, WAIT)
  })

  it('off a record whose pod is gone', async () => {
    await using guard = start()
    guard.view.hear('pods', 'runners', listed([]))
    guard.view.hear('runners', 'runners', listed([makeRecord(JOB, STAMP)]))
    guard.clock.pass(15_000)
    await vi.waitFor(() => expect(changes(guard.patches)).toEqual(['clear ephemeralrunners']), WAIT)
  })

  it('off a runner whose glass is broken on its record', async () => {
    await using guard = start()
    const glass = { annotations: { 'signalbox.dev/break-glass': 'it burns' } }
    const record = makeRecord(JOB, STAMP)
    guard.view.hear('runners', 'runners', listed([{ ...record, metadata: { ...record.metadata, ...glass } }]))
    guard.view.hear('pods', 'runners', listed([makePod({ labels: STAMP })]))
    await vi.waitFor(() => expect(changes(guard.patches)).toEqual(['clear pods', 'clear ephemeralrunners']), WAIT)
  })

  it('and says once which right is missing, however often it is refused', async () => {
    await using guard = start({ answer: { kind: 'forbidden', message: 'pods "a" is forbidden: cannot patch' } })
    guard.view.hear('runners', 'runners', listed([makeRecord(JOB)]))
    guard.view.hear('pods', 'runners', listed([makePod()]))
    await vi.waitFor(() => expect(guard.patches.length).toBe(2), WAIT)
    guard.clock.pass(15_000)
    await vi.waitFor(() => expect(guard.patches.length).toBe(4), WAIT)
    expect(guard.errors.map(({ fix }) => fix)).toEqual(Array(2).fill(expect.stringContaining('deploy/guard/role.yaml')))
    expect(guard.metrics.expose()).toContain('outcome="failed"} 4')
  })
})
