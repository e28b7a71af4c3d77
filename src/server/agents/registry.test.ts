import { randomUUID } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { agentMetrics } from './agent-metrics.ts'
import { LIMITS } from '#/protocol/limits.ts'
import { pollAnswer } from '#/protocol/poll.ts'
import { PROTOCOL } from '#/protocol/version.ts'
import { createAgentRegistry } from './registry.ts'
import { AWAY_MS } from './session.ts'

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const gauges = {
  openFiles: 7,
  openFilesMax: null,
  pressure: {},
  cgroups: null,
  limitHits: 0,
  oomKills: 0,
  heldLogs: 0,
  endedPods: 0,
  endedPodBytes: 0,
}

describe('the absence of an agent', () => {
  it('is noticed also where the timer goes off before the clock shows it, as it does on a busy machine', async () => {
    const hand = createHandClock()
    const clock = { now: hand.now, sleep: (ms: number, signal?: AbortSignal) => hand.sleep(ms - 10, signal) }
    const metrics = createMetrics()
    const registry = createAgentRegistry({ clock, log: quiet, metrics: agentMetrics(metrics) })
    const poll = { protocol: PROTOCOL, node: 'n1', session: randomUUID(), watch: null, stored: null, gauges } as const
    await registry.poll(poll, new AbortController().signal)
    expect(metrics.expose()).toContain('signalbox_agents 1')
    await vi.waitFor(() => {
      hand.advance(AWAY_MS - 10)
      expect(metrics.expose()).toContain('signalbox_agents 0')
    }, 30_000)
  })

  it('is not seen in one that has come again', async () => {
    const clock = createHandClock()
    const metrics = createMetrics()
    const registry = createAgentRegistry({ clock, log: quiet, metrics: agentMetrics(metrics) })
    const poll = { protocol: PROTOCOL, node: 'n1', session: randomUUID(), watch: null, stored: null, gauges } as const
    await registry.poll(poll, new AbortController().signal)
    const stop = new AbortController()
    const second = registry.poll(poll, stop.signal)
    clock.advance(AWAY_MS)
    await new Promise((resolve) => setImmediate(resolve))
    expect(metrics.expose()).toContain('signalbox_agents 1')
    stop.abort()
    await second
  })
})

describe('what an agent gets', () => {
  it('names no more containers than it takes, and none that it would not, whatever pods there are', async () => {
    const registry = createAgentRegistry({
      clock: createHandClock(),
      log: quiet,
      metrics: agentMetrics(createMetrics()),
    })
    const poll = {
      protocol: PROTOCOL,
      node: 'n1',
      session: randomUUID(),
      watch: null,
      stored: null,
      gauges: null,
    } as const
    const { signal } = new AbortController()
    await registry.poll(poll, signal)
    const many = Array.from({ length: 2000 }, (_, index) => ({ name: `c${index}`, id: `id${index}` }))
    const containers = [{ name: '', id: 'x' }, { name: 'x', id: 'y'.repeat(300) }, ...many]
    registry.watch(
      Array.from({ length: LIMITS.watchedPods }, (_, index) => ({ node: 'n1', uid: `u${index}`, containers })),
    )
    const agent = registry.of('n1')
    if ('kind' in agent) throw new Error(agent.reason.detail)
    const stop = new AbortController()
    const answer = agent.cgroups({ uid: 'u', containers }, stop.signal)
    const text = JSON.stringify(await registry.poll(poll, signal))
    expect(text.length).toBeLessThan(LIMITS.pollAnswerBytes)
    const polled = pollAnswer.parse(JSON.parse(text))
    expect(polled.watch?.pods).toHaveLength(LIMITS.watchedPods)
    expect(polled.watch?.pods[0]?.containers).toEqual(many.slice(0, LIMITS.containers))
    expect(polled.questions[0]?.asked).toMatchObject({ pod: { containers: many.slice(0, LIMITS.containers) } })
    stop.abort()
    await answer
  })
})
