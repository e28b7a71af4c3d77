import { describe, expect, it } from 'vitest'
import { blindAs, textWith } from '#test/contracts/github-matchers.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'

const ORG = { kind: 'organization', organization: 'acme' } as const
const runner = (id: number, name: string) => ({ id, name, os: 'linux', status: 'online', busy: false, labels: [] })

describe('runners', () => {
  it('are found by their whole name where the filter gives others too', async () => {
    await using world = await startGitHubWorld()
    const body = JSON.stringify({ total_count: 2, runners: [runner(1, 'linux-12'), runner(2, 'linux-1')] })
    world.sim.faults.add({ path: /name=/u, fault: { kind: 'answer', status: 200, body }, times: 2 })
    expect(await world.github.runners.byName(ORG, 'linux-1')).toMatchObject({ kind: 'seen', value: { id: 2 } })
    expect(await world.github.runners.byName(ORG, 'linux')).toEqual({ kind: 'none' })
  })

  it.each([
    [422, '{"message":"The endpoint has been spammed"}', 'unsupported', 'spammed'],
    [200, '{}', 'malformed', '200'],
  ] as const)('are not said to be busy or gone on an answer %i that says neither', async (...row) => {
    const [status, body, code, words] = row
    await using world = await startGitHubWorld()
    world.sim.faults.add({ method: 'DELETE', fault: { kind: 'answer', status, body } })
    expect(await world.github.runners.deregister(ORG, 1)).toEqual(blindAs(code, textWith(words)))
  })

  it('are not said to be absent where the list cannot be read', async () => {
    await using world = await startGitHubWorld()
    world.sim.faults.add({ path: /runners\?/u, fault: { kind: 'answer', status: 500 }, times: 9 })
    expect(await world.github.runners.byId(ORG, 4711)).toEqual(blindAs('server-error'))
    expect(await world.github.runners.deregister(ORG, 4711)).toEqual(blindAs('server-error'))
  })
})
