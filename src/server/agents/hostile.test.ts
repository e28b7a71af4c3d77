import { request } from 'node:http'
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { LIMITS } from '#/protocol/limits.ts'
import { agentIn, SECRET, startAgentsServer } from '#test/agent/agents-server.ts'
import type { AgentsServer, ServerPlan } from '#test/agent/agents-server.ts'
import { bearer, df, head, polled, reply, SECOND } from '#test/agent/poll-as-agent.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'

const { signal } = new AbortController()
const HONEST = { node: 'n2', session: SECOND }
const FLOOD = LONG_RUN ? 10_000 : 2000

const stops: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(plan: ServerPlan = {}): Promise<AgentsServer> {
  const started = await startAgentsServer({ ...plan, limits: { pollMs: 200, ...plan.limits } })
  stops.push(() => started[Symbol.asyncDispose]())
  await polled(started)
  await polled(started, HONEST)
  return started
}

/** Asks the honest agent again and again while the attack lasts, and gives how long each answer took. */
async function alongside(started: AgentsServer, attack: Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  const over = new AbortController()
  const attacked = attack.finally(() => over.abort())
  while (!over.signal.aborted || times.length < 5) {
    const begun = performance.now()
    const answer = agentIn(started, 'n2').logs({ uid: 'u', tailBytes: 1 }, signal)
    const { questions } = await polled(started, HONEST)
    await reply(started, questions[0]?.id ?? '', head({ kind: 'logs', logs: [] }), 'n2')
    expect(await answer).toMatchObject({ kind: 'seen' })
    times.push(performance.now() - begun)
    // As fast as an honest agent may.
    await sleep(50)
  }
  await attacked
  return times
}

/** How many answers there were. */
function print(attack: string, times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)
  process.stderr.write(
    `another agent's answers during ${attack}: ${times.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`,
  )
  return times.length
}

/** A question to the hostile agent, as it gets it. */
async function questionTo(started: AgentsServer) {
  const answer = agentIn(started, 'n1').logs({ uid: randomUUID(), tailBytes: 1 }, signal)
  const { questions } = await polled(started)
  return { answer, id: questions[0]?.id ?? '' }
}

/** Begins an answer and sends no more than this of it. */
function drip({ url }: AgentsServer, id: string, text: string): void {
  const headers = { ...bearer(SECRET), 'transfer-encoding': 'chunked' }
  const sending = request(`${url}/v1/agent/answers/${id}?node=n1`, { method: 'POST', headers })
  sending.on('error', () => {})
  sending.write(text)
  stops.push(async () => sending.destroy())
}

describe('a hostile agent loses no answer of another', { timeout: 300_000 }, () => {
  it(`when it sends ${FLOOD} answers that nobody asked for`, async () => {
    const started = await start()
    const statuses = new Map<number, number>()
    const flood = async (): Promise<void> => {
      for (let count = 0; count < FLOOD / 20; count += 1) {
        const { status, body } = await reply(started, randomUUID(), 'x')
        await body?.cancel()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    expect(
      print(`${FLOOD} answers at once`, await alongside(started, Promise.all(Array.from({ length: 20 }, flood)))),
    ).toBeGreaterThan(4)
    // On a slow machine the flood stays below the rate that is refused; `agent-limits.test.ts` owns its clock.
    expect([...statuses.keys()].filter((status) => status !== 410 && status !== 429)).toEqual([])
  })

  it('when its answers are huge', async () => {
    const started = await start()
    const large = 'x'.repeat(LIMITS.answerBytes + 1)
    const attack = async (): Promise<void> => {
      for (let count = 0; count < 10; count += 1) {
        const { answer, id } = await questionTo(started)
        await reply(started, id, large).catch(() => null)
        expect(await answer).toMatchObject({ reason: { code: 'too-large' } })
      }
    }
    expect(print('answers of 16 MiB', await alongside(started, attack()))).toBeGreaterThan(4)
  })

  it('when its answers drip, and they end with their time', async () => {
    const started = await start({ api: { bodyMs: 2000 } })
    const attack = async (): Promise<void> => {
      const dripping = []
      for (let count = 0; count < 8; count += 1) {
        const { answer, id } = await questionTo(started)
        drip(started, id, '{')
        dripping.push(answer)
      }
      for (const answer of dripping) expect(await answer).toMatchObject({ reason: { code: 'timeout' } })
    }
    expect(print('answers that drip', await alongside(started, attack()))).toBeGreaterThan(4)
  })

  it('when it fills its share: only its own answers are refused', async () => {
    const started = await start({ api: { mostBytes: 100_000, mostBytesPerAgent: 30_000, bodyMs: 600_000 } })
    const filling = await questionTo(started)
    drip(started, filling.id, 'x'.repeat(29_000))
    const refused = async (): Promise<void> => {
      // Until the server has read what drips, there is room.
      for (let code = ''; code !== 'refused-by-limits';) {
        const { answer, id } = await questionTo(started)
        await reply(started, id, head({ kind: 'none' }) + ' '.repeat(2000))
        const given = await answer
        code = given.kind === 'blind' ? given.reason.code : ''
      }
    }
    expect(print('a full share', await alongside(started, refused()))).toBeGreaterThan(4)
  })

  it('when it answers with another kind, or with bytes that are no text', async () => {
    const started = await start()
    const attack = async (): Promise<void> => {
      const bodies = [df, head({ kind: 'cgroups', copies: [] }), Buffer.from([0xff, 0xfe, 0x0a, 0x80]), Buffer.alloc(0)]
      for (const body of bodies) {
        const { answer, id } = await questionTo(started)
        await reply(started, id, typeof body === 'string' ? body : Uint8Array.from(body))
        expect(await answer).toMatchObject({ reason: { code: 'malformed' } })
      }
    }
    expect(print('wrong kinds', await alongside(started, attack()))).toBeGreaterThan(4)
  })

  it.each([
    ['one line of 8 MB', `${'x'.repeat(8_000_000)}\n`],
    ['bytes that are no text', Buffer.alloc(8_000_000, 0xff)],
    ['nothing but ids', `"${'ab'.repeat(32)}" `.repeat(100_000).slice(0, 8_000_000)],
    ['nothing but line feeds', '\n'.repeat(8_000_000)],
  ])('when its journal is %s', async (what, rest) => {
    const started = await start()
    const attack = async (): Promise<void> => {
      const about = { uid: randomUUID(), containerIds: [], at: Date.now() }
      const answer = agentIn(started, 'n1').journal({ since: 0, about }, signal)
      let id = ''
      while (id === '') id = (await polled(started)).questions[0]?.id ?? ''
      const first = head({ kind: 'journal', from: 0, to: 1, around: null, gaps: [] })
      await reply(started, id, Uint8Array.from(Buffer.concat([Buffer.from(first), Buffer.from(rest)])))
      const copy = await answer
      if (copy.kind === 'blind') throw new Error(copy.reason.detail)
      expect((await buffer(copy.value.chunks)).length).toBeLessThanOrEqual(LIMITS.journalBytes)
    }
    expect(print(`a journal of ${what}`, await alongside(started, attack()))).toBeGreaterThan(4)
  })

  it('when it polls without end', async () => {
    const started = await start()
    const flood = async (): Promise<void> => {
      for (let count = 0; count < FLOOD / 20; count += 1) {
        const body = { protocol: 0, node: 'n1' }
        const init = { method: 'POST', headers: bearer(SECRET), body: JSON.stringify(body) }
        await (await fetch(`${started.url}/v1/agent/poll`, init)).body?.cancel()
      }
    }
    expect(
      print('polls without end', await alongside(started, Promise.all(Array.from({ length: 20 }, flood)))),
    ).toBeGreaterThan(4)
  })
})
