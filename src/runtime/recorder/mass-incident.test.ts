import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { NodeAgent, NodeAgents } from '#/ports/node-agents.ts'
import { auditLogEvent } from '#test/recorder/audit-log-event.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { judge, startRecorder, storedParts } from '#test/recorder/start-recorder.ts'
import type { RecorderPlan, RunningRecorder } from '#test/recorder/start-recorder.ts'

const PATIENCE = { timeout: 120_000, interval: 20 }
const HOUR_MS = 3_600_000

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

type World = RunningRecorder & { readonly cluster: FakeCluster }

function start(pods: readonly KubeObject[], plan: Omit<RecorderPlan, 'kubernetes'> = {}): World {
  const cluster = fakeCluster()
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, ...plan })
  running.push(recorder)
  cluster.events(listed([]))
  cluster.pods(listed(pods))
  return { ...recorder, cluster }
}

const onNode = (name: string, nodeName: string): KubeObject => {
  const pod = runnerPod({ name })
  return { ...pod, spec: { ...(pod['spec'] as object), nodeName } }
}
const forced = (pod: KubeObject): KubeObject => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: new Date().toISOString(), deletionGracePeriodSeconds: 0 },
})
/** As the runner writes it. */
const now = (): string => new Date().toISOString().replace('T', ' ').replace(/\.\d+/, '')
const died = ({ deaths }: World, count: number) => vi.waitFor(() => expect(deaths).toHaveLength(count), PATIENCE)

const LINE = JSON.stringify({ __REALTIME_TIMESTAMP: '1794775118692946', MESSAGE: 'x', SYSLOG_IDENTIFIER: 'kubelet' })
const answering: NodeAgent = {
  journal: async () => {
    const chunks = (async function* () {
      yield Buffer.from(`${LINE}\n`)
    })()
    return seen({ chunks, from: 1000, ending: () => ({ to: null, gaps: [] }) })
  },
  file: async () => none(),
  cgroups: async () => seen([{ container: 'runner', files: new Map([['memory.failcnt', '3']]) }]),
  logs: async ({ uid }) => seen([{ container: 'runner', previous: false, text: `last words of ${uid}\n`, cut: false }]),
}
const agentsOf = (of: NodeAgents['of'], stored: NodeAgents['stored'] = () => {}): NodeAgents => ({
  of,
  watch: () => {},
  stored,
})

describe('a node that does not answer', () => {
  it('delays the judgement of no death on another node, and its own say what they wait for', async () => {
    const never = new Promise<never>(() => {})
    const hanging: NodeAgent = { ...answering, cgroups: () => never, journal: () => never, logs: () => never }
    const slow = Array.from({ length: 100 }, (_, index) => onNode(`slow-${index}`, 'n1'))
    const others = Array.from({ length: 20 }, (_, index) => onNode(`other-${index}`, 'n2'))
    const agents = agentsOf((node) => (node === 'n1' ? hanging : answering))
    const world = start([...slow, ...others], { agents })
    for (const pod of [...slow, ...others]) world.cluster.pods({ kind: 'deleted', object: forced(pod) })
    await died(world, others.length)
    expect(new Set(world.deaths.map(({ node }) => node))).toEqual(new Set(['n2']))
    await vi.waitFor(async () => {
      expect(await world.store.deaths.list({ limit: 1000 })).toHaveLength(120)
      expect(world.progress.of('uid-slow-0')).toMatchObject({ kind: 'node', what: 'logs and counters of node n1' })
      expect(world.exposed()).toContain('signalbox_deaths_waiting{for="node"} 100\n')
      expect(world.lines.map(([message]) => message)).toContain('judging deaths: 20 of 120 done')
    }, PATIENCE)
  })
})

describe('a judgement that fails', () => {
  it('is tried again soon, and logged with pod, UID and reason; its evidence is stored meanwhile', async () => {
    let attempts = 0
    const failing: NonNullable<RecorderPlan['judge']> = async (files, signal) => {
      attempts += 1
      if (attempts === 1) throw new Error('Maximum call stack size exceeded')
      return judge(files, signal)
    }
    const world = start([runnerPod({ name: 'a' })], { judge: failing, agents: agentsOf(() => answering) })
    world.cluster.pods({ kind: 'deleted', object: forced(runnerPod({ name: 'a' })) })
    await vi.waitFor(() => expect(world.progress.of('uid-a')?.kind).toBe('retry'), PATIENCE)
    expect(world.lines).toContainEqual([
      'cannot judge a death: will retry',
      {
        pod: 'runners/a',
        uid: 'uid-a',
        state: 'gathered',
        why: 'Maximum call stack size exceeded',
        failures: 1,
        retrySeconds: 1,
      },
    ])
    expect((await storedParts(world.store, 'uid-a')).get('journal/n1.jsonl')).toContain('kubelet')
    await died(world, 1)
    expect(attempts).toBe(2)
    expect(await world.store.deaths.list({ unjudged: true, limit: 10 })).toEqual([])
  })
})

describe('a death that a killed process recorded', () => {
  it('is found in the store and judged with what is still available, even if no list names its pod', async () => {
    const pod = runnerPod({ name: 'a' })
    const first = start([pod], { settings: { settleMs: HOUR_MS } })
    first.cluster.logs('a', {
      kind: 'line',
      at: new Date().toISOString(),
      text: `${now()}: Running job: build`,
      cut: false,
    })
    await first.cluster.taken()
    const at = Date.now()
    first.cluster.pods({ kind: 'deleted', object: forced(pod) })
    await vi.waitFor(async () => expect(await first.store.deaths.list({ limit: 10 })).toHaveLength(1), PATIENCE)
    await first.stop()
    await first.store.livePods.remove(['uid-a'])
    expect(first.deaths).toEqual([])
    const removal = { gracePeriodSeconds: 0, preconditions: { uid: 'uid-a' } }
    const audit: AuditLog = {
      lines: async function* () {
        yield { kind: 'looking', from: 0, to: null }
        yield { kind: 'line', text: JSON.stringify(auditLogEvent({ at, requestObject: removal })) }
      },
    }
    const stored: string[] = []
    const agents = agentsOf(
      () => answering,
      (node, uid) => stored.push(`${node} ${uid}`),
    )
    const second = start([], { store: first.store, agents, audit })
    await died(second, 1)
    expect(second.deaths[0]).toMatchObject({
      cause: 'force-deleted',
      actor: 'system:serviceaccount:ci:reaper',
      missed: false,
    })
    const parts = await storedParts(second.store, 'uid-a')
    expect(parts.get('kubernetes/pods.json')).toContain('last-seen')
    expect(parts.get('cgroup/runners/a/memory.failcnt')).toBe('3')
    expect(parts.get('journal/n1.jsonl')).toContain('kubelet')
    // The followed log is longer than what the agent has.
    expect(parts.get('logs/runners/a/runner.log')).toContain('Running job: build')
    expect(stored).toEqual(['n1 uid-a'])
  })
})

describe('an agent that goes in a mass incident', () => {
  it('is waited for', async () => {
    let offset = 0
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + offset }
    let looks = 0
    const away = blind('unreachable', 'the agent on n1 has been disconnected')
    const agents = agentsOf(() => ((looks += 1) < 4 ? away : answering))
    const world = start([runnerPod({ name: 'a' })], { clock, agents, settings: { agentsBackMs: 60_000 } })
    await world.cluster.taken()
    // Long after our start.
    offset = HOUR_MS
    world.cluster.pods({ kind: 'deleted', object: forced(runnerPod({ name: 'a' })) })
    await died(world, 1)
    expect((await storedParts(world.store, 'uid-a')).get('cgroup/runners/a/memory.failcnt')).toBe('3')
  })
})
