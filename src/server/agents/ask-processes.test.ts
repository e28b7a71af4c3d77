import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentIn, startAgentsServer } from '#test/agent/agents-server.ts'
import type { AgentsServer } from '#test/agent/agents-server.ts'
import { head, poll, polled, reply } from '#test/agent/poll-as-agent.ts'

const { signal } = new AbortController()
const asked = { uid: 'u1', container: 'runner' }
const containers = [
  { name: 'runner', id: 'c1' },
  { name: 'dind', id: 'c2' },
]

let server: AgentsServer
beforeEach(async () => {
  server = await startAgentsServer()
})
afterEach(() => server[Symbol.asyncDispose]())

const ask = (what: { readonly uid: string; readonly container: string } = asked) =>
  server.registry.processes('n1', what, signal)

async function connect(more: object = { processes: true }): Promise<void> {
  await polled(server, more)
  server.registry.watch([{ node: 'n1', uid: 'u1', containers }])
}

describe('an agent that is asked for the processes of a runner', () => {
  it('gets the id of the container that we know, and its answer is given', async () => {
    await connect()
    const answer = ask()
    const { questions } = await polled(server, { processes: true })
    expect(questions.map((one) => one.asked)).toEqual([{ kind: 'processes', containerId: 'c1' }])
    await reply(server, questions[0]?.id ?? '', head({ kind: 'processes', text: '1 0 5 run.sh\n' }))
    expect(await answer).toEqual({ kind: 'seen', value: '1 0 5 run.sh\n' })
  })

  it('of the version before is served, and cannot be asked', async () => {
    await connect({ protocol: 2 })
    expect(await ask()).toMatchObject({
      kind: 'blind',
      reason: { code: 'unsupported', detail: expect.stringContaining('older') as string },
    })
    expect(agentIn(server, 'n1')).toBeDefined()
  })

  it.each([{ processes: false }, {}])('that may not see them is not asked: %j', async (more) => {
    await connect(more)
    expect(await ask()).toMatchObject({
      kind: 'blind',
      reason: { detail: expect.stringContaining('agent.processes') as string },
    })
  })

  it.each([
    ['another pod', { uid: 'u2', container: 'runner' }],
    ['another container', { uid: 'u1', container: 'other' }],
  ])('is not asked about %s of the node', async (_title, what) => {
    await connect()
    expect(await ask(what)).toMatchObject({ kind: 'blind', reason: { code: 'not-asked' } })
  })

  it('is not there on a node without one', async () => {
    expect(await ask()).toMatchObject({ kind: 'blind', reason: { code: 'not-asked' } })
  })

  it('that answers something else is blind', async () => {
    await connect()
    const answer = ask()
    const { questions } = await polled(server, { processes: true })
    await reply(server, questions[0]?.id ?? '', head({ kind: 'logs', logs: [] }))
    expect(await answer).toMatchObject({ kind: 'blind', reason: { code: 'malformed' } })
  })

  it('of an unknown version is refused', async () => {
    expect((await poll(server, { protocol: 9 })).status).toBe(400)
  })
})
