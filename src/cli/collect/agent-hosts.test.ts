import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { loadConfig } from '#/config/load.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { sendJson, serveHttp } from '#test/collect/http-service.ts'
import { openTerminal } from '#/cli/output/terminal.ts'
import { openHosts } from './agent-hosts.ts'

const signal = new AbortController().signal
const sink = { write: () => {} }
const terminal = openTerminal({ stdout: sink, stderr: sink, colour: false, dumb: true, quiet: true, verbose: false })

async function read(env: Readonly<Record<string, string>>, wanted: ReadonlySet<string> | null = new Set(['host'])) {
  const config = async () => {
    const loaded = await loadConfig({ flags: [], workingFolder: '/nowhere' }, { HOME: '/nowhere', ...env })
    if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
    return loaded
  }
  await using hosts = await openHosts({ config, clock: systemClock, signal, terminal }, { wanted })
  return hosts === null ? null : hosts.read(signal)
}

const code = (result: Observed<unknown> | null): string | undefined =>
  result?.kind === 'blind' ? result.reason.code : result?.kind

describe('the agents, asked through the server', () => {
  it('give their files', async () => {
    const hosts = [{ node: 'n1', files: { 'proc/cgroups': 'x', odd: 7 }, unread: ['df: there is none', 8] }]
    await using service = await serveHttp((_, response) => sendJson(response, { schemaVersion: 1, hosts }))
    expect(await read({ SIGNALBOX_API_SERVER: service.url })).toEqual({
      kind: 'seen',
      value: [{ node: 'n1', files: new Map([['proc/cgroups', 'x']]), unread: ['df: there is none'] }],
    })
    expect(service.asked.map(({ url }) => url.pathname)).toEqual(['/v1/hosts'])
  })

  it.each([
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['not-asked', 404],
    ['server-error', 503],
  ])('are %s where the server answers %i', async (expected, status) => {
    await using service = await serveHttp((_, response) =>
      sendJson(response, { detail: 'no', status, advice: [] }, { status }),
    )
    expect(code(await read({ SIGNALBOX_API_SERVER: service.url }))).toBe(expected)
  })

  it('are unreachable with a server that was named, and not asked without one', async () => {
    const gone = await serveHttp(() => {})
    await gone[Symbol.asyncDispose]()
    expect(code(await read({ SIGNALBOX_API_SERVER: gone.url }))).toBe('unreachable')
    expect(code(await read({ SIGNALBOX_LISTEN: gone.url.slice('http://'.length) }))).toBe('not-asked')
  })

  it('are left alone by who does not want them', async () => {
    expect(await read({}, new Set(['kubernetes/pods']))).toBeNull()
    expect(await read({}, null)).toBeNull()
  })
})
