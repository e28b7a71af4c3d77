import { afterEach, describe, expect, it } from 'vitest'
import { PROTOCOL } from '#/protocol/version.ts'
import { agentIn, startAgentsServer } from '#test/agent/agents-server.ts'
import type { AgentsServer, ServerPlan } from '#test/agent/agents-server.ts'
import { df, FIRST, polled, reply, SECOND } from '#test/agent/poll-as-agent.ts'

const { signal } = new AbortController()
const quick = { pollMs: 200 }

let server: AgentsServer | null = null
afterEach(async () => {
  await server?.[Symbol.asyncDispose]()
  server = null
})

async function start(plan: ServerPlan = {}): Promise<AgentsServer> {
  server = await startAgentsServer(plan)
  return server
}

describe('the server and its questions to an agent', () => {
  it('asks an agent no more than so many questions at once', async () => {
    const started = await start({ limits: { mostPending: 2, answerMs: 200 } })
    await polled(started)
    const all = ['a', 'b', 'c'].map((uid) => agentIn(started, 'n1').logs({ uid, tailBytes: 1 }, signal))
    expect(await all[2]).toMatchObject({ reason: { code: 'refused-by-limits' } })
    await polled(started)
    expect(await all[0]).toMatchObject({ reason: { code: 'timeout' } })
  })

  it('gives a question its time only when the agent has it, and an agent no more questions than it takes', async () => {
    const started = await start({ limits: { answerMs: 60_000 } })
    await polled(started)
    const stop = new AbortController()
    const uids = Array.from({ length: 50 }, (_, index) => `u${index}`)
    const all = uids.map((uid) => agentIn(started, 'n1').logs({ uid, tailBytes: 1 }, stop.signal))
    const first = await polled(started)
    const second = await polled(started)
    expect([first.questions.length, second.questions.length]).toEqual([32, 18])
    stop.abort()
    await Promise.all(all)
  })

  it('looks at the files of a machine once for the deaths of a burst', async () => {
    const started = await start()
    await polled(started)
    const all = Array.from({ length: 50 }, () => agentIn(started, 'n1').file('df', signal))
    const { questions } = await polled(started)
    expect(questions).toHaveLength(1)
    await reply(started, questions[0]?.id ?? '', df)
    expect(new Set((await Promise.all(all)).map(({ kind }) => kind))).toEqual(new Set(['seen']))
  })

  it('repeats to an agent what is stored until it confirms it, also after the agent has started again', async () => {
    const started = await start({ limits: quick })
    started.registry.stored('n1', 'u1')
    const { stored: first } = await polled(started)
    started.registry.stored('n1', 'u2')
    const { stored: both } = await polled(started)
    expect([first?.uids, both?.uids]).toEqual([['u1'], ['u1', 'u2']])
    const { stored: second } = await polled(started, { session: SECOND, stored: first?.version })
    expect(second?.uids).toEqual(['u2'])
    expect((await polled(started, { session: SECOND, stored: second?.version })).stored).toBeNull()
    const waiting = polled(started, { session: SECOND, stored: second?.version })
    started.registry.stored('n1', 'u3')
    expect((await waiting).stored?.uids ?? ['u3']).toEqual(['u3'])
  })

  it('keeps a question for the next poll when nobody listens to this one any more', async () => {
    const started = await start({ limits: quick })
    await polled(started)
    const answer = agentIn(started, 'n1').file('df', signal)
    const request = { protocol: PROTOCOL, node: 'n1', session: FIRST, watch: null, stored: null, gauges: null } as const
    expect(await started.registry.poll(request, AbortSignal.abort())).toEqual({
      questions: [],
      watch: null,
      stored: null,
    })
    const { questions } = await polled(started)
    await reply(started, questions[0]?.id ?? '', df)
    expect(await answer).toMatchObject({ kind: 'seen' })
  })

  it('gives up a question when its asker does', async () => {
    const started = await start({ limits: quick })
    await polled(started)
    const stop = new AbortController()
    const answer = agentIn(started, 'n1').cgroups({ uid: 'u', containers: [] }, stop.signal)
    stop.abort()
    expect(await answer).toMatchObject({ reason: { code: 'stopped' } })
    expect((await polled(started, {})).questions).toEqual([])
  })
})
