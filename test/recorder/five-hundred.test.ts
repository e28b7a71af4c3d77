import { afterEach, expect, it, vi } from 'vitest'
import { none, seen } from '#/core/basics/observed.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { NodeAgent, NodeAgents } from '#/ports/node-agents.ts'
import { auditLogEvent } from './audit-log-event.ts'
import { fakeCluster, listed, runnerPod } from './fake-cluster.ts'
import { startRecorder } from './start-recorder.ts'
import type { RunningRecorder } from './start-recorder.ts'

const COUNT = 500
const NODES = 5
/** The lane of logs and counters of a node. */
const MOST_ASKED_AT_ONCE = 64
const MOST_HELD_BYTES = 1024 * 1024
/** Also what is in hand when the bound is reached is gathered to its end. */
const MOST_GATHERED_BYTES = 4 * 1024 * 1024
/** A short line of each runner that is followed. */
const MOST_LOG_BYTES = COUNT * 1024

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

const runner = (index: number): KubeObject => {
  const pod = runnerPod({ name: `p${index}` })
  return { ...pod, spec: { ...(pod['spec'] as object), nodeName: `n${index % NODES}` } }
}
const forced = (pod: KubeObject): KubeObject => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: new Date().toISOString(), deletionGracePeriodSeconds: 0 },
})

const LINE = JSON.stringify({ __REALTIME_TIMESTAMP: '1794775118692946', MESSAGE: 'x', SYSLOG_IDENTIFIER: 'kubelet' })
const JOURNAL = Buffer.from(`${LINE}\n`.repeat(200))
/** As the runner writes it. */
const working = (at: number): string =>
  `${new Date(at).toISOString().replace('T', ' ').replace(/\.\d+/, '')}: Running job: build`
const log = (uid: string): string => {
  const at = new Date().toISOString()
  return `${at} ${working(Date.now())}\n${`${at} a line of ${uid}\n`.repeat(200)}`
}

/** Counts how many questions for counters an agent has at once. */
function countingAgents(): { readonly agents: NodeAgents; readonly most: () => number; readonly stored: Set<string> } {
  const stored = new Set<string>()
  let most = 0
  const agent = (): NodeAgent => {
    let open = 0
    const asked = async <T>(answer: T): Promise<T> => {
      open += 1
      most = Math.max(most, open)
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      return answer
    }
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      yield JOURNAL
    }
    return {
      journal: async () => seen({ chunks: chunks(), from: 1000, ending: () => ({ to: null, gaps: [] }) }),
      file: async () => none(),
      cgroups: () => asked(seen([{ container: 'runner', files: new Map([['memory.failcnt', '3']]) }])),
      logs: async ({ uid }) => seen([{ container: 'runner', previous: false, text: log(uid), cut: false }]),
    }
  }
  const agents = new Map<string, NodeAgent>(Array.from({ length: NODES }, (_, index) => [`n${index}`, agent()]))
  return {
    agents: {
      of: (node) => agents.get(node) ?? agent(),
      watch: () => {},
      stored: (node, uid) => void stored.add(`${node} ${uid}`),
    },
    most: () => most,
    stored,
  }
}

function auditLogOf(pods: readonly KubeObject[], at: number): AuditLog {
  const lines = new Map(
    pods.map(({ metadata: { name, uid } }) => {
      const requestObject = { gracePeriodSeconds: 0, preconditions: { uid } }
      return [name, JSON.stringify(auditLogEvent({ at, pod: name, requestObject }))] as const
    }),
  )
  return {
    lines: async function* (_signal, { pods: asked }) {
      yield { kind: 'looking', from: 0, to: null }
      for (const name of asked ?? []) yield { kind: 'line', text: lines.get(name) ?? '{}' }
    },
  }
}

/** What the recorder holds, by what it is. */
function readHeld({ exposed }: RunningRecorder): Readonly<Record<string, number>> {
  const samples = exposed().matchAll(/^signalbox_recorder_held_bytes\{of="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...samples].map(([, of = '', bytes]) => [of, Number(bytes)]))
}

it('five hundred runners that are deleted by force at once are all judged with their actor, in bounded memory', async () => {
  const pods = Array.from({ length: COUNT }, (_, index) => runner(index))
  const at = Date.now()
  const { agents, most: mostAsked, stored } = countingAgents()
  const cluster = fakeCluster()
  const recorder = startRecorder({
    kubernetes: cluster.kubernetes,
    agents,
    audit: auditLogOf(pods, at),
    settings: { mostHeldBytes: MOST_HELD_BYTES, mostGatheredBytes: MOST_GATHERED_BYTES },
  })
  running.push(recorder)
  cluster.events(listed([]))
  cluster.pods(listed(pods))
  for (const { metadata } of pods) {
    cluster.logs(metadata.name, { kind: 'line', at: new Date(at).toISOString(), text: working(at), cut: false })
  }
  await cluster.taken()
  const since = performance.now()
  for (const pod of pods) cluster.pods({ kind: 'deleted', object: forced(pod) })
  const most = { logs: 0, stored: 0, gathered: 0 }
  await vi.waitFor(
    () => {
      const held = readHeld(recorder)
      for (const of of ['logs', 'stored', 'gathered'] as const) most[of] = Math.max(most[of], held[of] ?? 0)
      expect(recorder.deaths).toHaveLength(COUNT)
    },
    { timeout: 600_000, interval: 50 },
  )
  process.stderr.write(
    `five hundred: judged after ${((performance.now() - since) / 1000).toFixed(1)} s, bytes at most: ${JSON.stringify(most)}\n`,
  )
  expect(new Set(recorder.deaths.map(({ cause, actor }) => `${cause} ${actor}`))).toEqual(
    new Set(['force-deleted system:serviceaccount:ci:reaper']),
  )
  expect(most.stored).toBeLessThanOrEqual(MOST_HELD_BYTES)
  expect(most.gathered).toBeLessThanOrEqual(MOST_GATHERED_BYTES + MOST_HELD_BYTES)
  expect(most.logs).toBeLessThanOrEqual(MOST_LOG_BYTES)
  expect(mostAsked()).toBeLessThanOrEqual(MOST_ASKED_AT_ONCE)
  expect(stored.size).toBe(COUNT)
  expect(await recorder.store.deaths.list({ unjudged: true, limit: COUNT })).toEqual([])
  await vi.waitFor(() => expect(readHeld(recorder)).toEqual({ logs: 0, stored: 0, gathered: 0 }), {
    timeout: 60_000,
    interval: 100,
  })
}, 700_000)
