import { afterEach, describe, expect, it, vi } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { LogStore } from '#/ports/log-store.ts'
import type { NodeAgent, NodeAgents } from '#/ports/node-agents.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import { startRecorder, storedParts } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

const away = blind('not-asked', 'no agent serves n1')
const LINE = `${JSON.stringify({ __REALTIME_TIMESTAMP: '1794775118692946', MESSAGE: 'kept' })}\n`

const store = (own: Partial<LogStore> = {}): LogStore => ({
  journal: async (_, window) => seen({ text: LINE, ...window, cut: null }),
  podLogs: async (_, window) =>
    seen([{ container: 'runner', text: '2026-06-06T21:00:00Z kept\n', ...window, cut: null }]),
  ...own,
})

async function partsAfter(
  logStore: LogStore,
  agent: NodeAgent | typeof away = away,
): Promise<ReadonlyMap<string, string>> {
  const agents: NodeAgents = { of: () => agent, watch: () => {}, stored: () => {} }
  const cluster = fakeCluster()
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, agents, logStore })
  running.push(recorder)
  cluster.events(listed([]))
  cluster.pods(listed([runnerPod({ name: 'a' })]))
  cluster.pods({ kind: 'caught-up', resourceVersion: '1' })
  const now = new Date().toISOString()
  const gone = runnerPod({ name: 'a', metadata: { deletionTimestamp: now, deletionGracePeriodSeconds: 0 } })
  cluster.pods({ kind: 'deleted', object: gone })
  await vi.waitFor(() => expect(recorder.deaths.length).toBe(1), { timeout: 60_000 })
  return storedParts(recorder.store, 'uid-a')
}

function readSource(parts: ReadonlyMap<string, string>, source: string): unknown {
  const { sources } = JSON.parse(parts.get('meta.json') ?? '{}') as {
    readonly sources: Readonly<Record<string, unknown>>
  }
  return sources[source]
}

describe('a death on a node without an agent', () => {
  it('has the journal and the log that are kept elsewhere', async () => {
    const parts = await partsAfter(store())
    expect(parts.get('journal/n1.jsonl')).toBe(LINE)
    expect(readSource(parts, 'journal/n1')).toMatchObject({ ok: true, reason: 'from the log store' })
    expect([...parts.keys()].some((name) => name.startsWith('logs/runners/a/'))).toBe(true)
  })

  it('is blind in the words of the store where that does not answer', async () => {
    const parts = await partsAfter(store({ journal: async () => blind('forbidden', 'Loki answered 403') }))
    expect(readSource(parts, 'journal/n1')).toEqual({ ok: false, reason: 'forbidden: Loki answered 403' })
  })

  it('does not ask the store where its agent has the journal, and does where the machine has none', async () => {
    const agent = (journal: NodeAgent['journal']): NodeAgent => ({
      journal,
      file: async () => none(),
      cgroups: async () => none(),
      logs: async () => none(),
    })
    const own = agent(async () => {
      const chunks = (async function* () {
        yield Buffer.from('{"MESSAGE":"own"}\n')
      })()
      return seen({ chunks, from: 1000, ending: () => ({ to: null, gaps: [] }) })
    })
    const never = store({ journal: () => Promise.reject(new Error('asked')) })
    expect((await partsAfter(never, own)).get('journal/n1.jsonl')).toContain('own')
    const bare = agent(async () => blind('unsupported', 'no journal'))
    expect((await partsAfter(store(), bare)).get('journal/n1.jsonl')).toBe(LINE)
  })
})
