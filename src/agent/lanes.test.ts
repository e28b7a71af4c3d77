import { randomUUID } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { Clock } from '#/ports/clock.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import type { Asked } from '#/protocol/poll.ts'
import type { Answer } from './journal-window.ts'
import { createLanes } from './lanes.ts'

const { signal } = new AbortController()
const journal: Asked = { kind: 'journal', since: 0, until: null, maxBytes: 1, about: [] }
const files: Asked = { kind: 'files' }

function start(clock: Clock = systemClock) {
  const rested = vi.fn<() => void>()
  const sent: (readonly [Asked['kind'], Answer['head']])[] = []
  const release = Promise.withResolvers<void>()
  const lanes = createLanes({
    clock,
    answer: async ({ asked }) => {
      if (asked.kind === 'journal') await release.promise
      return { head: { kind: 'none' } }
    },
    send: async ({ asked }, { head }) => void sent.push([asked.kind, head]),
    rested,
    fault: (error) => {
      throw error
    },
  })
  const ask = (asked: Asked, withinMs = 60_000) => lanes.take({ id: randomUUID(), withinMs, asked }, signal)
  return { lanes, sent, release, ask, rested }
}

describe('the questions in an agent', () => {
  it('about counters and logs do not wait behind a journal', async () => {
    const { sent, ask, release, lanes } = start()
    ask(journal)
    ask(journal)
    for (let count = 0; count < 20; count += 1) ask(files)
    await vi.waitFor(() => expect(sent).toHaveLength(20), 60_000)
    release.resolve()
    await lanes.idle()
    expect(sent.filter(([kind]) => kind === 'journal')).toHaveLength(2)
  })

  it('say so when they waited for too long, and when there are too many', async () => {
    const { sent, ask, release, lanes } = start()
    ask(journal)
    ask(journal, 1)
    for (let count = 0; count < 16; count += 1) ask(journal)
    expect(sent).toEqual([
      ['journal', { kind: 'blind', reason: expect.objectContaining({ code: 'refused-by-limits' }) as object }],
    ])
    // The time of the second is up when its own timer has gone off, which was set before this one.
    await new Promise((resolve) => {
      AbortSignal.timeout(5).addEventListener('abort', resolve)
    })
    release.resolve()
    await lanes.idle()
    expect(sent[2]).toEqual([
      'journal',
      {
        kind: 'blind',
        reason: { code: 'timeout', detail: expect.stringMatching(/^the question waited for \d+ ms/) as string },
      },
    ])
  })

  it('let the agent release its memory when none has come for a while, and not before', async () => {
    const clock = createHandClock()
    const { ask, lanes, rested } = start(clock)
    ask(files)
    await lanes.idle()
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(4000)
    ask(files)
    await lanes.idle()
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(4000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(rested).not.toHaveBeenCalled()
    clock.advance(1000)
    await vi.waitFor(() => expect(rested).toHaveBeenCalledOnce(), 60_000)
  })
})
