import { describe, expect, it } from 'vitest'
import type { CheckedSim } from '#test/github/checked-sim.ts'
import { createCheckedSim } from '#test/github/checked-sim.ts'
import type { Fault } from './faults.ts'
import { serveGitHub } from './serve-github.ts'

const RUNNERS = '/orgs/acme/actions/runners'

describe('the simulated GitHub on a port', () => {
  it('answers over HTTP, with links that lead back to it', async () => {
    const { sim } = createCheckedSim()
    for (const name of ['a', 'b']) register(sim, name)
    await using server = await serveGitHub(sim.fetch)
    const headers = { authorization: `Bearer ${sim.installationToken('acme')}` }
    const first = await fetch(`${server.url}${RUNNERS}?per_page=1`, { headers })
    expect(await first.json()).toMatchObject({ runners: [{ name: 'a' }] })
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(await (await fetch(next, { headers })).json()).toMatchObject({ runners: [{ name: 'b' }] })
    const minted = await fetch(`${server.url}${RUNNERS}/generate-jitconfig`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'c', runner_group_id: 1, labels: ['linux'] }),
    })
    expect(minted.status).toBe(201)
  })

  it('refuses a body that is no JSON and hangs up on one that is too large', async () => {
    const { sim } = createCheckedSim()
    await using server = await serveGitHub(sim.fetch)
    const post = (body: string): Promise<Response> =>
      fetch(`${server.url}${RUNNERS}/generate-jitconfig`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sim.installationToken('acme')}` },
        body,
      })
    const refused = await post('{"name":')
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ message: 'Problems parsing JSON' })
    await expect(post('x'.repeat(1_048_577))).rejects.toThrow('fetch failed')
  })

  it('has its own path as an enterprise server', async () => {
    const { sim } = createCheckedSim({ basePath: '/api/v3' })
    await using server = await serveGitHub(sim.fetch)
    const headers = { authorization: `Bearer ${sim.installationToken('acme')}` }
    expect((await fetch(`${server.url}/api/v3${RUNNERS}`, { headers })).status).toBe(200)
    expect((await fetch(`${server.url}${RUNNERS}`, { headers })).status).toBe(404)
  })

  it('says at its end that the handler failed meanwhile', async () => {
    const server = await serveGitHub(async () => {
      throw new Error('a failed check')
    })
    await expect(fetch(server.url)).rejects.toThrow('fetch failed')
    await expect(server.stop()).rejects.toThrow('a failed check')
  })

  it('ends with open connections and does not mind to be stopped twice', async () => {
    const { sim, clock } = createCheckedSim()
    sim.faults.add({ fault: { kind: 'delay', ms: 1 } })
    const server = await serveGitHub(sim.fetch)
    const hanging = fetch(server.url).then(
      () => 'answered',
      () => 'cut off',
    )
    await expect.poll(() => sim.faults.unfired(), { timeout: 30_000 }).toEqual([])
    await server.stop()
    await server.stop()
    clock.advance(1)
    expect(await hanging).toBe('cut off')
  })
})

describe('faults over HTTP', () => {
  const cases: readonly (readonly [string, Fault, unknown])[] = [
    ['any status without headers', { kind: 'answer', status: 429 }, { status: 429, text: '' }],
    [
      'any body',
      { kind: 'answer', status: 200, headers: { 'content-type': 'application/json' }, body: '[1' },
      { status: 200, text: '[1' },
    ],
    [
      'a page from a proxy',
      { kind: 'html', status: 502 },
      { status: 502, text: expect.stringContaining('<html>') as unknown },
    ],
    ['an answer with nothing in it', { kind: 'empty' }, { status: 200, text: '' }],
    ['a body that just ends', { kind: 'cut', afterBytes: 9, clean: true }, { text: '{"total_c', isBroken: false }],
    [
      'a connection that breaks in the body',
      { kind: 'cut', afterBytes: 9 },
      { status: 200, text: '{"total_c', isBroken: true },
    ],
    [
      'a connection that breaks after the head',
      { kind: 'cut', afterBytes: 0 },
      { status: 200, text: '', isBroken: true },
    ],
    ['a connection that closes', { kind: 'hang-up', when: 'before' }, 'no answer'],
    ['a list without links', { kind: 'without-link' }, { status: 200, link: null }],
  ]

  it.each(cases)('give %s, once', async (_, fault, seen) => {
    const { sim } = createCheckedSim()
    for (const name of ['a', 'b']) register(sim, name)
    await using server = await serveGitHub(sim.fetch)
    sim.faults.add({ method: 'GET', path: /\/actions\/runners/, fault })
    const token = sim.installationToken('acme')
    const ask = () => seenBy(`${server.url}${RUNNERS}?per_page=1`, token)
    expect(await ask()).toEqual(typeof seen === 'object' ? expect.objectContaining(seen as object) : seen)
    expect(await ask()).toMatchObject({ status: 200, link: expect.stringContaining('next') as unknown })
    expect(sim.faults.unfired()).toEqual([])
  })

  it.each([
    ['before', 1],
    ['after', 0],
  ] as const)('can hide whether GitHub did what it was asked: a connection that closes %s it', async (when, left) => {
    const { sim } = createCheckedSim()
    const id = register(sim, 'a')
    await using server = await serveGitHub(sim.fetch)
    sim.faults.add({ fault: { kind: 'hang-up', when } })
    const headers = { authorization: `Bearer ${sim.installationToken('acme')}` }
    await expect(fetch(`${server.url}${RUNNERS}/${id}`, { method: 'DELETE', headers })).rejects.toThrow('fetch failed')
    expect(sim.world.runners()).toHaveLength(left)
  })

  it('hit only the calls that they are for, and report when they hit none', async () => {
    const { sim, call } = createCheckedSim()
    sim.faults.add({ method: 'POST', fault: { kind: 'answer', status: 500 } })
    sim.faults.add({ path: /^\/meta$/, times: 2, fault: { kind: 'answer', status: 503 } })
    expect((await call('GET', '/rate_limit')).status).toBe(200)
    expect([await call('GET', '/meta'), await call('GET', '/meta'), await call('GET', '/meta')]).toMatchObject([
      { status: 503 },
      { status: 503 },
      { status: 200 },
    ])
    expect(sim.faults.unfired()).toMatchObject([{ method: 'POST' }])
    sim.faults.clear()
    expect(sim.faults.unfired()).toEqual([])
  })
})

async function seenBy(url: string, token: string): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } }).catch(() => null)
  if (response === null) return 'no answer'
  const { status, headers } = response
  const body: AsyncIterable<Uint8Array> | null = response.body
  const chunks: Uint8Array[] = []
  let isBroken = false
  try {
    for await (const chunk of body ?? []) chunks.push(chunk)
  } catch {
    isBroken = true
  }
  return { status, text: Buffer.concat(chunks).toString(), isBroken, link: headers.get('link') }
}

function register(sim: CheckedSim['sim'], name: string): number {
  const outcome = sim.world.registerRunner({ name, labels: [], scope: { kind: 'organization', login: 'acme' } })
  if (outcome.kind !== 'registered') throw new Error(outcome.kind)
  return outcome.runner.id
}
