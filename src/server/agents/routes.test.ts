import { afterEach, describe, expect, it, vi } from 'vitest'
import { seen } from '#/core/basics/observed.ts'
import { agentIn, SECRET, startAgentsServer } from '#test/agent/agents-server.ts'
import type { AgentsServer, ServerPlan } from '#test/agent/agents-server.ts'
import { bearer, df, FIRST, head, poll, polled, reply, SECOND } from '#test/agent/poll-as-agent.ts'
import { LIMITS } from '#/protocol/limits.ts'
import { PROTOCOL } from '#/protocol/version.ts'

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

const gauges = { openFiles: 7, openFilesMax: 9, pressure: { cpu: { some: 0.5, full: 0 } }, cgroups: 3 }
const allGauges = { ...gauges, limitHits: 1, oomKills: 2, heldLogs: 4, endedPods: 5, endedPodBytes: 6 }

/** What a poll brings is shown as soon as it waits. */
const isOpen = (started: AgentsServer) =>
  vi.waitFor(() => expect(started.exposed()).toContain('signalbox_node_open_files{node="n1"} 7'), 30_000)

/** A cluster in which every token is that of a pod on the node. */
function ofNode(nodeName: string): NonNullable<ServerPlan['kubernetes']> {
  const pod = { name: 'agent-x', uid: 'u1' }
  const verdict = { kind: 'valid', username: 'system:serviceaccount:signalbox:agent', groups: [], pod } as const
  const metadata = { ...pod, namespace: 'signalbox', resourceVersion: '1' }
  return {
    reviewToken: async () => seen(verdict),
    get: async () => seen({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName } }),
  }
}

/** Asks for files, and gives the number of the question as the agent gets it. */
async function asked(started: AgentsServer) {
  const answer = agentIn(started, 'n1').file('df', signal)
  const { questions } = await polled(started)
  const [question] = questions
  if (question === undefined) throw new Error('nothing was asked')
  return { answer, id: question.id, question }
}

describe('the way in for agents', () => {
  it('asks through a poll and takes the answer', async () => {
    const started = await start()
    await polled(started)
    const { answer, id, question } = await asked(started)
    expect(question.asked).toEqual({ kind: 'files' })
    expect((await reply(started, id, df)).status).toBe(204)
    expect(await answer).toEqual({ kind: 'seen', value: 'a disk' })
    expect((await reply(started, id, df)).status).toBe(410)
  })

  it('refuses a wrong token, none, and at last every stranger from that address, but nobody who may come in', async () => {
    const started = await start()
    const none = await fetch(`${started.url}/v1/agent/poll`, { method: 'POST', body: '{}' })
    expect(none.status).toBe(401)
    const wrong = await poll(started, {}, 'wrong')
    expect([wrong.status, await wrong.json()]).toMatchObject([
      403,
      { detail: expect.stringContaining('cluster') as string },
    ])
    for (let tries = 0; tries < 10; tries += 1) {
      await fetch(`${started.url}/v1/agent/poll`, { method: 'POST', body: '{}' })
    }
    expect((await poll(started, {}, 'wrong')).status).toBe(429)
    expect((await poll(started)).status).toBe(200)
  })

  it('lets an agent speak for the node of its pod, and for no other', async () => {
    const started = await start({ kubernetes: ofNode('n1'), serviceAccount: 'signalbox/agent', limits: quick })
    expect((await poll(started, {}, 'token')).status).toBe(200)
    const foreign = await poll(started, { node: 'n2', session: SECOND }, 'token')
    expect([foreign.status, await foreign.json()]).toMatchObject([403, { detail: 'this agent does not run on n2' }])
    expect(started.registry.of('n2')).toMatchObject({ reason: { code: 'not-asked' } })
    await polled(started, { node: 'n2', session: SECOND })
    const answer = agentIn(started, 'n2').file('df', signal)
    const { questions } = await polled(started, { node: 'n2', session: SECOND })
    const path = `${started.url}/v1/agent/answers/${questions[0]?.id}?node=n2`
    const init = { method: 'POST', headers: bearer('token'), body: df }
    expect((await fetch(path, init)).status).toBe(403)
    await reply(started, questions[0]?.id ?? '', head({ kind: 'none' }), 'n2')
    expect(await answer).toEqual({ kind: 'none' })
  })

  it('refuses what is no poll, or of another version, or too large', async () => {
    const started = await start()
    const body = async (answer: Response) => [answer.status, ((await answer.json()) as { detail: string }).detail]
    expect(await body(await poll(started, { protocol: 99 }))).toEqual([400, expect.stringContaining('protocol 99')])
    expect((await poll(started, { node: '' })).status).toBe(400)
    expect((await poll(started, { more: 1 })).status).toBe(400)
    expect((await poll(started, { watch: 'x'.repeat(LIMITS.pollBytes) })).status).toBe(413)
  })

  it('makes too large an answer blind, and one that cannot be read', async () => {
    const started = await start()
    await polled(started)
    const first = await asked(started)
    expect((await reply(started, first.id, 'x'.repeat(LIMITS.answerBytes + 1))).status).toBe(413)
    expect(await first.answer).toMatchObject({ kind: 'blind', reason: { code: 'too-large' } })
    const second = await asked(started)
    expect((await reply(started, second.id, 'not a document')).status).toBe(204)
    expect(await second.answer).toMatchObject({ kind: 'blind', reason: { code: 'malformed' } })
    const third = await asked(started)
    await reply(started, third.id, head({ kind: 'logs', logs: [] }))
    expect(await third.answer).toMatchObject({ kind: 'blind', reason: { code: 'malformed' } })
  })

  it('holds no more of all answers together than it may', async () => {
    const started = await start({ api: { mostBytes: 1000 } })
    await polled(started)
    const { answer, id } = await asked(started)
    expect((await reply(started, id, head({ kind: 'none' }) + 'x'.repeat(2000))).status).toBe(503)
    expect(await answer).toMatchObject({ kind: 'blind', reason: { code: 'refused-by-limits' } })
  })

  it('takes no answer of one node for a question to another', async () => {
    const started = await start()
    await polled(started)
    const { answer, id } = await asked(started)
    expect((await reply(started, id, df, 'n2')).status).toBe(410)
    await reply(started, id, df)
    expect(await answer).toMatchObject({ kind: 'seen' })
  })

  it('is blind at once where no agent serves, and after a while where none answers', async () => {
    const started = await start({ limits: { ...quick, answerMs: 100 } })
    expect(started.registry.of('n1')).toMatchObject({ reason: { code: 'not-asked', detail: 'no agent serves n1' } })
    await polled(started)
    const { answer } = await asked(started)
    expect(await answer).toEqual({
      kind: 'blind',
      reason: { code: 'timeout', detail: 'the agent on n1 did not answer within 100 ms' },
    })
  })

  it('notices that an agent has gone, says since when, and hears it again', { timeout: 60_000 }, async () => {
    const started = await start({ limits: { ...quick, answerMs: 60_000 } })
    await polled(started, { gauges: allGauges })
    expect(started.exposed()).toContain('signalbox_node_open_files{node="n1"} 7')
    expect(started.exposed()).toMatch(/signalbox_node_pressure_ratio\{.*node="n1".*\} 0\.5/)
    const { answer } = await asked(started)
    expect(await answer).toMatchObject({
      reason: { code: 'unreachable', detail: expect.stringMatching(/^the agent on n1 disconnected/) as string },
    })
    expect(started.registry.of('n1')).toMatchObject({
      reason: { code: 'unreachable', detail: expect.stringMatching(/disconnected since 20/) as string },
    })
    expect(started.exposed()).not.toContain('node="n1"')
    await Promise.all([polled(started), vi.waitFor(() => agentIn(started, 'n1'), { timeout: 30_000 })])
  })

  it('notices that the connection of an agent broke in the middle of a poll', { timeout: 60_000 }, async () => {
    const started = await start({ limits: { pollMs: 600_000, answerMs: 600_000 } })
    await polled(started)
    const broken = new AbortController()
    const body = { protocol: PROTOCOL, node: 'n1', session: FIRST, watch: null, stored: null, gauges: allGauges }
    const init = { method: 'POST', headers: bearer(SECRET), body: JSON.stringify(body), signal: broken.signal }
    const waiting = fetch(`${started.url}/v1/agent/poll`, init)
    await isOpen(started)
    broken.abort()
    await expect(waiting).rejects.toThrow('aborted')
    await vi.waitFor(() => expect(started.registry.of('n1')).toMatchObject({ reason: { code: 'unreachable' } }), {
      timeout: 30_000,
    })
  })

  it('reads from the newest of two agents of a node, and refuses the other', async () => {
    const started = await start({ limits: { pollMs: 30_000, answerMs: 60_000 } })
    await polled(started)
    const { answer } = await asked(started)
    const waiting = poll(started, { gauges: allGauges })
    await isOpen(started)
    await polled(started, { session: SECOND })
    expect(await answer).toMatchObject({
      reason: { code: 'unreachable', detail: expect.stringMatching(/was replaced/) as string },
    })
    expect((await waiting).status).toBe(409)
    expect((await poll(started)).status).toBe(409)
    const next = agentIn(started, 'n1').file('df', signal)
    const { questions } = await polled(started, { session: SECOND })
    await reply(started, questions[0]?.id ?? '', df)
    expect(await next).toMatchObject({ kind: 'seen' })
  })

  it('takes no more agents than it may', async () => {
    const started = await start({ limits: { mostAgents: 1, ...quick } })
    await polled(started)
    expect((await poll(started, { node: 'n2', session: SECOND })).status).toBe(503)
  })

  it('sends an agent the pods of its node that matter, when they change', async () => {
    const started = await start({ limits: { pollMs: 30_000 } })
    await polled(started)
    const waiting = polled(started)
    const pod = { uid: 'u1', containers: [{ name: 'runner', id: 'c1' }] }
    const pods = [
      { node: 'n1', ...pod },
      { node: 'n2', uid: 'u2', containers: [] },
    ]
    started.registry.watch(pods)
    const { watch } = await waiting
    expect(watch?.pods).toEqual([pod])
    started.registry.watch(pods)
    started.registry.watch([])
    const after = await polled(started, { watch: watch?.version })
    expect(after.watch?.pods).toEqual([])
  })

  it('sends an agent away while the server stops, so that it does not come again at once and again', async () => {
    const started = await start({ limits: { pollMs: 600_000 } })
    await polled(started)
    const waiting = poll(started, { gauges: allGauges })
    await isOpen(started)
    started.stopping()
    expect((await waiting).status).toBe(503)
    expect((await poll(started)).status).toBe(503)
  })

  it.each([
    ['a path for a counter', { container: 'runner', readAt: null, files: { '../../../kubernetes/pods.json': '{}' } }],
    ['a path for a container', { container: '../../kubernetes', readAt: null, files: { 'memory.max': '1' } }],
  ])('does not take %s from an agent', async (_, copy) => {
    const started = await start()
    await polled(started)
    const pod = { uid: 'u', containers: [{ name: 'runner', id: 'c1' }] }
    const answer = agentIn(started, 'n1').cgroups(pod, signal)
    const { questions } = await polled(started)
    await reply(started, questions[0]?.id ?? '', head({ kind: 'cgroups', copies: [copy] }))
    expect(await answer).toMatchObject({ kind: 'blind', reason: { code: 'malformed' } })
  })
})
