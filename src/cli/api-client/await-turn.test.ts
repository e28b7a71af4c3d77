import { describe, expect, it, vi } from 'vitest'
import { openTerminal } from '#/cli/output/terminal.ts'
import { loadConfig } from '#/config/load.ts'
import { sendJson, serveHttp } from '#test/collect/http-service.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { openServer } from './ask-server.ts'
import type { Question } from './ask-server.ts'
import { createTurns } from './await-turn.ts'
import type { Busy } from './await-turn.ts'

const PATIENCE = { timeout: 60_000 }

function listen() {
  const said: string[] = []
  const stderr = { write: (text: string) => void said.push(text) }
  const looks = { colour: false, dumb: true, quiet: false, verbose: false }
  const over = new AbortController()
  const terminal = openTerminal({ stdout: { write: () => {} }, stderr, ...looks })
  return { said, over, clock: createHandClock(), terminal, signal: over.signal }
}

const busy = (retryAfterMs: number): Busy => ({ why: 'deaths come first', retryAfterMs })
const NOTICE = 'The server is busy: deaths come first. Retrying for up to a minute.\n'

/** Everything that can happen without the clock has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a busy server', () => {
  it('is asked again when it said, with one notice for all questions', async () => {
    const means = listen()
    const inTurn = createTurns(means)
    const replies = [busy(3000), busy(5000), null]
    let asked = 0
    const ask = async () => replies[asked++] ?? null
    const answer = inTurn(ask, (reply) => reply)
    for (const [waitMs, before] of [
      [3000, 1],
      [5000, 2],
    ] as const) {
      await settled()
      means.clock.advance(waitMs - 1)
      await settled()
      expect(asked).toBe(before)
      means.clock.advance(1)
    }
    expect(await answer).toBeNull()
    expect([asked, means.said]).toEqual([3, [NOTICE]])
    const next = inTurn(
      async () => (asked++ === 3 ? busy(0) : null),
      (reply) => reply,
    )
    await settled()
    // Who asks for no pause gets one all the same.
    means.clock.advance(999)
    await settled()
    expect(asked).toBe(4)
    means.clock.advance(1)
    await next
    expect([asked, means.said]).toEqual([5, [NOTICE]])
  })

  it('that stays busy for a minute, or asks for more, has refused', async () => {
    const means = listen()
    let asked = 0
    const ask = async () => ((asked += 1), busy(20_000))
    const answer = createTurns(means)(ask, (reply) => reply)
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await settled()
      means.clock.advance(20_000)
    }
    expect([await answer, asked]).toEqual([busy(20_000), 4])
    const long = async () => ((asked += 1), busy(60_001))
    expect([await createTurns(means)(long, (reply) => reply), asked]).toEqual([busy(60_001), 5])
  })

  it('does not keep a command that is stopped', async () => {
    const means = listen()
    const answer = createTurns(means)(
      async () => busy(3000),
      (reply) => reply,
    )
    await settled()
    means.over.abort(new Error('Ctrl-C'))
    await expect(answer).rejects.toThrow('Ctrl-C')
  })
})

const PROBLEM = { detail: 'deaths come first', advice: ['retry in a few seconds'] }

/** A server that is busy at first, and a command that asks it. */
async function open(status: number, headers: Readonly<Record<string, string>>) {
  const service = await serveHttp((_, response) =>
    service.asked.length === 1
      ? sendJson(response, { ...PROBLEM, status }, { status, headers })
      : sendJson(response, { schemaVersion: 1 }),
  )
  const config = async () => {
    const loaded = await loadConfig({ flags: [], workingFolder: '/nowhere' }, { SIGNALBOX_API_SERVER: service.url })
    if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
    return loaded
  }
  const means = listen()
  const server = await openServer({ ...means, config })
  const close = async (): Promise<void> => {
    await server[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  }
  return { ...means, service, server, [Symbol.asyncDispose]: close }
}

describe('a command', () => {
  it.each([429, 503])('waits for a server that answers %i with Retry-After', async (status) => {
    await using world = await open(status, { 'retry-after': '3' })
    const reply = world.server.ask({ path: '/v1/deaths' })
    await vi.waitFor(() => expect(world.said).toEqual([NOTICE]), PATIENCE)
    expect(world.service.asked).toHaveLength(1)
    world.clock.advance(3000)
    expect(await reply).toMatchObject({ kind: 'answered' })
  })

  it.each<[string, number, Readonly<Record<string, string>>, Question]>([
    ['says no time', 503, {}, { path: '/v1/deaths' }],
    ['refuses for another reason', 401, { 'retry-after': '3' }, { path: '/v1/deaths' }],
    ['is asked to change something', 503, { 'retry-after': '3' }, { path: '/v1/tokens', method: 'POST', body: {} }],
  ])('does not wait for a server that %s', async (_what, status, headers, question) => {
    await using world = await open(status, headers)
    expect(await world.server.ask(question)).toMatchObject({ kind: 'refused', status, why: PROBLEM.detail })
    expect([world.service.asked.length, world.said]).toEqual([1, []])
  })
})
