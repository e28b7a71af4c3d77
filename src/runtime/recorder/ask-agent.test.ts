import { afterEach, describe, expect, it, vi } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { JournalWindow } from '#/ports/journal.ts'
import type { NodeAgent, NodeAgents, WatchedPod } from '#/ports/node-agents.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { startRecorder, storedParts } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'

const running: RunningRecorder[] = []
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

type World = { readonly cluster: FakeCluster; readonly recorder: RunningRecorder; readonly watched: WatchedPod[][] }

function begin(agent: Partial<NodeAgent> | ReturnType<typeof blind>): World {
  const watched: WatchedPod[][] = []
  const served = 'kind' in agent ? agent : { ...silent, ...agent }
  const agents: NodeAgents = { of: () => served, watch: (pods) => void watched.push([...pods]), stored: () => {} }
  const cluster = fakeCluster()
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, agents })
  running.push(recorder)
  cluster.events(listed([]))
  cluster.pods(listed([runnerPod({ name: 'a' })]))
  cluster.pods(caughtUp)
  return { cluster, recorder, watched }
}

/** The pod fails, or is deleted by force. */
async function partsAfter(
  { cluster, recorder }: World,
  end: 'fails' | 'goes',
  metadata: object = {},
): Promise<ReadonlyMap<string, string>> {
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  const failed = runnerPod({ name: 'a', phase: 'Failed', state: { terminated }, metadata })
  const now = new Date().toISOString()
  const gone = runnerPod({ name: 'a', metadata: { deletionTimestamp: now, deletionGracePeriodSeconds: 0 } })
  cluster.pods(end === 'fails' ? { kind: 'modified', object: failed } : { kind: 'deleted', object: gone })
  await vi.waitFor(() => expect(recorder.deaths.length).toBe(1), { timeout: 60_000 })
  return storedParts(recorder.store, 'uid-a')
}

type Sources = Readonly<Record<string, { readonly ok: boolean; readonly to?: string; readonly reason?: string }>>

function readSources(parts: ReadonlyMap<string, string>): Sources {
  return (JSON.parse(parts.get('meta.json') ?? '{}') as { readonly sources: Sources }).sources
}

const LINE = JSON.stringify({ __REALTIME_TIMESTAMP: '1794775118692946', MESSAGE: 'x', SYSLOG_IDENTIFIER: 'kubelet' })

function makeJournal(gaps: readonly ReturnType<typeof blind>[], to: number): Awaited<ReturnType<NodeAgent['journal']>> {
  const chunks = (async function* () {
    yield Buffer.from(`${LINE}\n`)
  })()
  return seen({ chunks, from: 1000, ending: () => ({ to, gaps: gaps.map(({ reason }) => reason) }) })
}

describe('what the agent of a node adds to a death', () => {
  it('is the journal with what it covers, the counters and the files of the machine', async () => {
    const order: string[] = []
    const to = Date.UTC(2026, 10, 16)
    const world = begin({
      journal: async () => {
        order.push('journal')
        return makeJournal([], to)
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
    expect(readSources(parts)).toMatchObject({
      'journal/n1': { ok: true, to: '2026-11-16T00:00:00Z' },
      cgroup: { ok: true, reason: expect.stringContaining('read at 2026-11-16T00:00:00.000Z') as string },
      'host/n1': { ok: true },
    })
    expect(order).toEqual(['cgroups of uid-a c1', 'journal'])
  })

  it('is blind where the agent is not connected', async () => {
    const parts = await partsAfter(begin(blind('unreachable', 'the agent of n1 is away since noon')), 'fails')
    for (const source of ['journal/n1', 'host/n1', 'cgroup']) {
      expect(readSources(parts)[source]).toEqual({
        ok: false,
        reason: 'unreachable: the agent of n1 is away since noon',
      })
    }
  })

  it('is not requested any further while saving from an agent that timed out, and is asked again with the journal', async () => {
    const asked: string[] = []
    const world = begin({
      cgroups: async () => {
        asked.push('cgroups')
        return asked.length === 1 ? blind('timeout', 'the agent of n1 gave no answer') : none()
      },
      logs: async () => {
        asked.push('logs')
        return none()
      },
      journal: async () => {
        asked.push('journal')
        return makeJournal([], 1)
      },
    })
    const sources = readSources(await partsAfter(world, 'goes'))
    expect(asked).toEqual(['cgroups', 'cgroups', 'journal', 'logs'])
    expect(sources).toMatchObject({
      cgroup: { ok: false, reason: expect.stringContaining('the kernel has no cgroup') as string },
      'journal/n1': { ok: true },
    })
  })

  it('is the journal about this death, which the agent may read around it', async () => {
    const windows: Parameters<NodeAgent['journal']>[0][] = []
    const world = begin({
      journal: async (window) => {
        windows.push(window)
        return makeJournal([blind('truncated', 'lines of other pods')], 1)
      },
    })
    await partsAfter(world, 'fails')
    expect(windows).toMatchObject([{ about: { uid: 'uid-a', containerIds: ['c1'] } }])
    expect(Date.now() - (windows[0]?.about?.at ?? 0)).toBeLessThan(600_000)
  })

  it('is at most an hour of the journal, however long the runner ran', async () => {
    const windows: JournalWindow[] = []
    const journal: NodeAgent['journal'] = async (window) => {
      windows.push(window)
      return makeJournal([], 1)
    }
    await partsAfter(begin({ journal }), 'fails', { creationTimestamp: new Date(Date.now() - 864e5).toISOString() })
    expect(windows.map(({ since = 0 }) => Math.round((Date.now() - since) / 60_000))).toEqual([60])
  })

  it('has the logs of all containers of a pod that is gone', async () => {
    const log = (text: string) => ({ container: 'runner', previous: false, text, cut: false })
    const text = '2026-11-16T07:00:00Z last words\n'
    const parts = await partsAfter(begin({ logs: async () => seen([log(text)]) }), 'goes')
    expect(parts.get('logs/runners/a/runner.log')).toBe(text)
    expect(readSources(parts)['logs/runners/a/runner']?.reason).toContain('the agent kept')
  })

  it('does not replace a log by less of it', async () => {
    const heard = `${new Date().toISOString()} a long line that was followed\n`
    const world = begin({ logs: async () => seen([{ container: 'runner', previous: false, text: 'x\n', cut: false }]) })
    world.cluster.logs('a', { kind: 'line', at: heard.slice(0, 24), text: heard.slice(25, -1), cut: false })
    await vi.waitFor(() => expect(world.watched.length).toBeGreaterThan(0), { timeout: 30_000 })
    const parts = await partsAfter(world, 'goes')
    expect(parts.get('logs/runners/a/runner.log')).toBe(heard)
  })

  it('gets the live pods of each node', async () => {
    const { watched } = begin({})
    const pod = { node: 'n1', uid: 'uid-a', containers: [{ name: 'runner', id: 'c1' }] }
    await vi.waitFor(() => expect(watched.at(-1)).toEqual([pod]), { timeout: 30_000 })
  })
})
