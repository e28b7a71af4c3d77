import { afterEach, describe, expect, it, vi } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { JournalWindow } from '#/ports/journal.ts'
import type { NodeAgent, NodeAgents, WatchedPod } from '#/ports/node-agents.ts'
import { fakeCluster, listed, runnerPod } from '#test/capture/fake-cluster.ts'
import type { FakeCluster } from '#test/capture/fake-cluster.ts'
import { startCapture, storedParts } from '#test/capture/start-capture.ts'
import type { Capturing } from '#test/capture/start-capture.ts'

const running: Capturing[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

const caughtUp = { kind: 'caught-up', resourceVersion: '1' } as const

const silent: NodeAgent = {
  journal: async () => blind('unsupported', 'no journal'),
  file: async () => none(),
  cgroups: async () => none(),
  logs: async () => none(),
}

type World = { readonly cluster: FakeCluster; readonly capturing: Capturing; readonly watched: WatchedPod[][] }

function begin(agent: Partial<NodeAgent> | ReturnType<typeof blind>): World {
  const watched: WatchedPod[][] = []
  const served = 'kind' in agent ? agent : { ...silent, ...agent }
  const agents: NodeAgents = { of: () => served, watch: (pods) => void watched.push([...pods]) }
  const cluster = fakeCluster()
  const capturing = startCapture({ kubernetes: cluster.kubernetes, agents })
  running.push(capturing)
  cluster.events(listed([]))
  cluster.pods(listed([runnerPod({ name: 'a' })]))
  cluster.pods(caughtUp)
  return { cluster, capturing, watched }
}

/** The pod fails, or is deleted by force. */
async function partsAfter(
  { cluster, capturing }: World,
  end: 'fails' | 'goes',
  metadata: object = {},
): Promise<ReadonlyMap<string, string>> {
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  const failed = runnerPod({ name: 'a', phase: 'Failed', state: { terminated }, metadata })
  const now = new Date().toISOString()
  const gone = runnerPod({ name: 'a', metadata: { deletionTimestamp: now, deletionGracePeriodSeconds: 0 } })
  cluster.pods(end === 'fails' ? { kind: 'modified', object: failed } : { kind: 'deleted', object: gone })
  await vi.waitFor(() => expect(capturing.deaths.length).toBe(1), { timeout: 60_000 })
  return storedParts(capturing.store, 'uid-a')
}

type Sources = Readonly<Record<string, { readonly ok: boolean; readonly to?: string; readonly reason?: string }>>

function sourcesOf(parts: ReadonlyMap<string, string>): Sources {
  return (JSON.parse(parts.get('meta.json') ?? '{}') as { readonly sources: Sources }).sources
}

const LINE = JSON.stringify({ __REALTIME_TIMESTAMP: '1794775118692946', MESSAGE: 'x', SYSLOG_IDENTIFIER: 'kubelet' })

function journalOf(gaps: readonly ReturnType<typeof blind>[], to: number): Awaited<ReturnType<NodeAgent['journal']>> {
  const chunks = (async function* () {
    yield Buffer.from(`${LINE}\n`)
  })()
  return seen({ chunks, from: 1000, ending: () => ({ to, gaps: gaps.map(({ reason }) => reason) }) })
}

describe('what the agent of a node adds to a post-mortem', () => {
  it('is the journal with what it covers, the counters and the files of the machine', async () => {
    const order: string[] = []
    const to = Date.UTC(2026, 10, 16)
    const world = begin({
      journal: async () => {
        order.push('journal')
        return journalOf([], to)
      },
      cgroups: async ({ uid, containers }) => {
        order.push(`cgroups of ${uid} ${containers.map(({ id }) => id).join()}`)
        return seen([{ container: 'runner', files: new Map([['memory.failcnt', '3']]), readAt: to }])
      },
      file: async (name) => (name === 'df' ? seen('a disk') : none()),
    })
    const parts = await partsAfter(world, 'fails')
    expect(parts.get('journal/n1.jsonl')).toBe(`${LINE}\n`)
    expect(parts.get('cgroup/runners/a/memory.failcnt')).toBe('3')
    expect(parts.get('host/n1/df')).toBe('a disk')
    expect(sourcesOf(parts)).toMatchObject({
      'journal/n1': { ok: true, to: '2026-11-16T00:00:00Z' },
      cgroup: { ok: true, reason: expect.stringContaining('read at 2026-11-16T00:00:00.000Z') as string },
      'host/n1': { ok: true },
    })
    expect(order).toEqual(['cgroups of uid-a c1', 'journal'])
  })

  it('is blind for the reason that the agent is not there', async () => {
    const parts = await partsAfter(begin(blind('unreachable', 'the agent of n1 is away since noon')), 'fails')
    for (const source of ['journal/n1', 'host/n1', 'cgroup']) {
      expect(sourcesOf(parts)[source]).toEqual({ ok: false, reason: 'unreachable: the agent of n1 is away since noon' })
    }
  })

  it('is not asked for any more of one that lets us wait in vain', async () => {
    const asked: string[] = []
    const world = begin({
      cgroups: async () => {
        asked.push('cgroups')
        return blind('timeout', 'the agent of n1 gave no answer')
      },
      journal: async () => {
        asked.push('journal')
        return journalOf([], 1)
      },
      file: async () => {
        asked.push('file')
        return none()
      },
    })
    const parts = await partsAfter(world, 'fails')
    expect(asked).toEqual(['cgroups'])
    for (const source of ['journal/n1', 'host/n1', 'cgroup']) {
      expect(sourcesOf(parts)[source]).toEqual({ ok: false, reason: 'timeout: the agent of n1 gave no answer' })
    }
  })

  it('is asked for a shorter journal when there is too much of it', async () => {
    const windows: JournalWindow[] = []
    const world = begin({
      journal: async (window) => {
        windows.push(window)
        return journalOf(windows.length < 3 ? [blind('truncated', 'too much')] : [], 1)
      },
    })
    await partsAfter(world, 'fails')
    const lengths = windows.map(({ since = 0 }) => Math.round((Date.now() - since) / 60_000))
    expect(lengths).toEqual([16, 10, 2])
  })

  it('is asked for no more than an hour of the journal, however long the runner lived', async () => {
    const windows: JournalWindow[] = []
    const journal: NodeAgent['journal'] = async (window) => {
      windows.push(window)
      return journalOf([], 1)
    }
    await partsAfter(begin({ journal }), 'fails', { creationTimestamp: new Date(Date.now() - 864e5).toISOString() })
    expect(windows.map(({ since = 0 }) => Math.round((Date.now() - since) / 60_000))).toEqual([60])
  })

  it('has the logs of all containers of a pod that is gone', async () => {
    const log = (text: string) => ({ container: 'runner', previous: false, text, cut: false })
    const text = '2026-11-16T07:00:00Z last words\n'
    const parts = await partsAfter(begin({ logs: async () => seen([log(text)]) }), 'goes')
    expect(parts.get('logs/runners/a/runner.log')).toBe(text)
    expect(sourcesOf(parts)['logs/runners/a/runner']?.reason).toContain('the agent held')
  })

  it('does not replace a log by less of it', async () => {
    const heard = `${new Date().toISOString()} a long line that was followed\n`
    const world = begin({ logs: async () => seen([{ container: 'runner', previous: false, text: 'x\n', cut: false }]) })
    world.cluster.logs('a', { kind: 'line', at: heard.slice(0, 24), text: heard.slice(25, -1), cut: false })
    await vi.waitFor(() => expect(world.watched.length).toBeGreaterThan(0), { timeout: 30_000 })
    const parts = await partsAfter(world, 'goes')
    expect(parts.get('logs/runners/a/runner.log')).toBe(heard)
  })

  it('is told which pods live on which node', async () => {
    const { watched } = begin({})
    const pod = { node: 'n1', uid: 'uid-a', containers: [{ name: 'runner', id: 'c1' }] }
    await vi.waitFor(() => expect(watched.at(-1)).toEqual([pod]), { timeout: 30_000 })
  })
})
