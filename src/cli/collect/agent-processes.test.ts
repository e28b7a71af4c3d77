import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { openTerminal } from '#/cli/output/terminal.ts'
import { loadConfig } from '#/config/load.ts'
import { sendJson, serveHttp } from '#test/collect/http-service.ts'
import { openAgentProcesses } from './agent-processes.ts'

const { signal } = new AbortController()
const sink = { write: () => {} }
const terminal = openTerminal({ stdout: sink, stderr: sink, colour: false, dumb: true, quiet: true, verbose: false })
const CONTAINER = { namespace: 'ns', pod: 'r1', uid: 'u1', node: 'n1', container: 'runner' }

async function read(env: Readonly<Record<string, string>>, times = 1) {
  const config = async () => {
    const loaded = await loadConfig({ flags: [], workingFolder: '/nowhere' }, { HOME: '/nowhere', ...env })
    if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
    return loaded
  }
  await using agents = await openAgentProcesses({ config, clock: systemClock, signal, terminal })
  const results = []
  for (let count = 0; count < times; count += 1) results.push(await agents.read(CONTAINER, signal))
  return results
}

describe('the processes of a runner, asked through the server', () => {
  it('are what the agent says', async () => {
    await using service = await serveHttp((_, response) =>
      sendJson(response, { schemaVersion: 1, processes: '1 0 5 run.sh\n', blind: null }),
    )
    expect(await read({ SIGNALBOX_API_SERVER: service.url })).toEqual([{ kind: 'seen', value: '1 0 5 run.sh\n' }])
    expect(service.asked.map(({ url }) => url.search)).toEqual(['?node=n1&uid=u1&container=runner'])
  })

  it.each([
    [{ code: 'unsupported', detail: 'too old' }, 'unsupported'],
    [{ code: 'what', detail: 'x' }, 'malformed'],
    [null, 'malformed'],
  ])('are blind for its reason %j, and others are still asked', async (blind, code) => {
    await using service = await serveHttp((_, response) =>
      sendJson(response, { schemaVersion: 1, processes: null, blind }),
    )
    const expected = { kind: 'blind', reason: { code } }
    expect(await read({ SIGNALBOX_API_SERVER: service.url }, 2)).toMatchObject([expected, expected])
    expect(service.asked.length).toBe(2)
  })

  it.each([
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['unsupported', 404],
  ])('are %s where the server answers %i, which is asked once', async (code, status) => {
    await using service = await serveHttp((_, response) =>
      sendJson(response, { detail: 'no', status, advice: [] }, { status }),
    )
    const expected = { kind: 'blind', reason: { code } }
    expect(await read({ SIGNALBOX_API_SERVER: service.url }, 2)).toMatchObject([expected, expected])
    expect(service.asked.length).toBe(1)
  })

  it('are unreachable with a server that was named, and not asked without one', async () => {
    const gone = await serveHttp(() => {})
    await gone[Symbol.asyncDispose]()
    expect(await read({ SIGNALBOX_API_SERVER: gone.url })).toMatchObject([{ reason: { code: 'unreachable' } }])
    expect(await read({ SIGNALBOX_LISTEN: gone.url.slice('http://'.length) })).toMatchObject([
      { reason: { code: 'not-asked' } },
    ])
  })
})
