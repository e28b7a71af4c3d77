import { afterEach, describe, expect, it, vi } from 'vitest'
import { redactToBytes } from '#/app/judging.ts'
import { blind } from '#/core/basics/observed.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { startRecorder, storedParts } from '#test/recorder/start-recorder.ts'
import type { RecorderPlan, RunningRecorder } from '#test/recorder/start-recorder.ts'

/** Spelled apart, so that nobody takes it for a real one. */
const TOKEN = ['ghp', '016C7e42F292c6912E7710c838347Ae178B4'].join('_')

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

type Started = RunningRecorder & { readonly cluster: FakeCluster; readonly heardUntil: Map<string, AbortSignal> }

/** With one pod that runs, and with the signal that ends the following of each log. */
async function start(plan: Omit<RecorderPlan, 'kubernetes'> = {}): Promise<Started> {
  const cluster = fakeCluster()
  const heardUntil = new Map<string, AbortSignal>()
  const followLog: typeof cluster.kubernetes.followLog = (log, signal) => {
    heardUntil.set(log.pod, signal)
    return cluster.kubernetes.followLog(log, signal)
  }
  const recorder = startRecorder({ kubernetes: { ...cluster.kubernetes, followLog }, ...plan })
  running.push(recorder)
  cluster.events(listed([]))
  cluster.pods(listed([runnerPod({ name: 'a' })]))
  await vi.waitFor(() => expect(heardUntil.has('a')).toBe(true), { timeout: 60_000 })
  return { ...recorder, cluster, heardUntil }
}

function failed(exitCode: number, phase = 'Failed') {
  return runnerPod({ name: 'a', phase, state: { terminated: { exitCode, finishedAt: new Date().toISOString() } } })
}

const died = ({ deaths }: RunningRecorder) => vi.waitFor(() => expect(deaths.length).toBe(1), { timeout: 60_000 })

/** Its successor is called like it, and has said more. */
function replace({ cluster }: Started): void {
  const at = new Date().toISOString()
  const said = ['Running job: build', 'Job build completed with result: Succeeded'].map(
    (text) => `${at} 2026-06-06 21:30:14Z: ${text}\n`,
  )
  cluster.standing.set('pods/a', runnerPod({ name: 'a', uid: 'uid-successor' }))
  cluster.tails.set('a/runner', { kind: 'seen', value: { text: said.join(''), cut: false } })
}

describe('a pod whose name is reused', () => {
  it('does not get the log of the new pod', async () => {
    const started = await start()
    started.cluster.logs('a', { kind: 'line', at: new Date().toISOString(), text: 'own words', cut: false })
    replace(started)
    started.cluster.pods({ kind: 'modified', object: failed(137) })
    await died(started)
    const log = (await storedParts(started.store, 'uid-a')).get('logs/runners/a/runner.log')
    expect(log).toContain('own words')
    expect(log).not.toContain('Running job')
  })

  it('is no longer followed when the new pod comes', async () => {
    const started = await start({ settings: { settleMs: 60_000 } })
    started.cluster.pods({
      kind: 'added',
      object: runnerPod({ name: 'a', uid: 'uid-successor', phase: 'Pending', state: { waiting: {} } }),
    })
    await vi.waitFor(() => expect(started.heardUntil.get('a')?.aborted).toBe(true), { timeout: 60_000 })
  })

  it('is not a clean end because the new pod ended well', async () => {
    const started = await start()
    replace(started)
    started.cluster.pods({ kind: 'modified', object: failed(0, 'Succeeded') })
    await died(started)
    expect(started.deaths[0]?.cause).not.toBe('completed-normally')
  })
})

describe('what could not be read', () => {
  it('is stored without the secrets in the reason', async () => {
    const agents: NodeAgents = {
      of: () => blind('unreachable', `no way to ${TOKEN}`),
      watch: () => {},
      stored: () => {},
    }
    const started = await start({ agents })
    started.cluster.pods({ kind: 'modified', object: failed(137) })
    await died(started)
    const parts = await storedParts(started.store, 'uid-a')
    expect(parts.get('journal/n1')).toContain('unreachable: no way to')
    expect([...parts.values()].join('\n')).not.toContain(TOKEN)
    expect(JSON.stringify(started.deaths)).not.toContain(TOKEN)
  })
})

describe('a source that costs too much to redact', () => {
  it('is blind with that reason, and nothing of it is stored; the death is judged without it', async () => {
    const keys = new Set<string>()
    const redact: RecorderPlan['redact'] = async (file, key) => {
      keys.add(key)
      const isCostly = file.path.startsWith('logs/')
      return isCostly
        ? blind('refused-by-limits', 'too costly to redact: it took longer than 10 s')
        : redactToBytes(file)
    }
    const started = await start({ redact })
    started.cluster.logs('a', { kind: 'line', at: new Date().toISOString(), text: 'costly words', cut: false })
    started.cluster.pods({ kind: 'modified', object: failed(137) })
    await died(started)
    const parts = await storedParts(started.store, 'uid-a')
    expect(parts.get('logs/runners/a/runner')).toBe('refused-by-limits: too costly to redact: it took longer than 10 s')
    expect([...parts.values()].join('\n')).not.toContain('costly words')
    const unread = started.deaths[0]?.blind.find(({ source }) => source.startsWith('logs'))
    expect(unread?.reason).toContain('too costly to redact')
    // By the node, so that it delays no other.
    expect([...keys]).toEqual(['n1'])
  })
})

describe('a death beyond the queue limit', () => {
  it('stops following the log', async () => {
    const started = await start({ settings: { mostWaiting: 0 } })
    started.cluster.pods({ kind: 'modified', object: failed(137) })
    await vi.waitFor(() => expect(started.heardUntil.get('a')?.aborted).toBe(true), { timeout: 60_000 })
    expect(started.lines.some(([message]) => message.startsWith('too many deaths at once'))).toBe(true)
  })
})
