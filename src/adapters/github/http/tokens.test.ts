import { describe, expect, it } from 'vitest'
import { startGitHubWorld, tokenCredential } from '#test/contracts/github-world.ts'
import { Secret } from '#/core/basics/secret.ts'
import { textWith } from '#test/contracts/github-matchers.ts'

const ORG = { kind: 'organization', organization: 'acme' } as const
const issued = (requests: readonly string[]) => requests.filter((request) => request.endsWith('/access_tokens')).length

describe('tokens of an App', () => {
  it('are fetched once for all who need one', async () => {
    await using world = await startGitHubWorld()
    await Promise.all(Array.from({ length: 10 }, (_, index) => world.github.runners.byName(ORG, `r${index}`)))
    expect(issued(world.requests)).toBe(1)
    expect(world.requests.filter((request) => request.endsWith('/installation'))).toHaveLength(1)
  })

  it('are renewed before they expire', async () => {
    await using world = await startGitHubWorld()
    const { clock, github, requests } = world
    await github.runners.list(ORG)
    clock.advance(54 * 60_000)
    await github.runners.list(ORG)
    expect(issued(requests)).toBe(1)
    clock.advance(2 * 60_000)
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(issued(requests)).toBe(2)
  })

  it('are renewed once where GitHub no longer accepts one', async () => {
    const seen: string[] = []
    await using world = await startGitHubWorld({
      around: (next) => (request) => {
        seen.push(request.headers.get('authorization')?.replace('Bearer ', '') ?? '')
        return next(request)
      },
    })
    const { sim, github, requests } = world
    await github.runners.list(ORG)
    sim.revokeToken(seen.at(-1)!)
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(issued(requests)).toBe(2)
    sim.faults.add({
      path: /runners/u,
      fault: { kind: 'answer', status: 401, body: '{"message":"Bad credentials"}' },
      times: 9,
    })
    expect(await github.runners.list(ORG)).toMatchObject({ kind: 'blind', reason: { code: 'unauthenticated' } })
    expect(issued(requests)).toBe(3)
  })

  it("are dated by GitHub's clock if GitHub refuses ours, and the difference is reported", async () => {
    await using world = await startGitHubWorld()
    const ours = world.clock.now() - 20 * 60_000
    const clock = { now: () => ours, sleep: async () => undefined }
    const github = world.connect({ clock })
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(github.access.clockSkewMs()).toBe(20 * 60_000)
  })

  it('are refused with a remark about the clock where that is the likely reason', async () => {
    await using world = await startGitHubWorld()
    const ours = world.clock.now() + 600_000
    world.sim.faults.add({
      path: /./u,
      fault: {
        kind: 'answer',
        status: 401,
        headers: { date: new Date(world.clock.now()).toUTCString() },
        body: '{"message":"Bad credentials"}',
      },
      times: 9,
    })
    const github = world.connect({ clock: { now: () => ours, sleep: async () => undefined } })
    expect(await github.access.app()).toMatchObject({
      kind: 'blind',
      reason: { code: 'unauthenticated', detail: textWith("clock is 600 s ahead of GitHub's") },
    })
  })

  it('are of the installation that the configuration names', async () => {
    await using world = await startGitHubWorld()
    const installation = world.sim.install('acme')
    const { sim } = world
    const privateKey = new Secret('private-key', sim.keys.privateKeyPem)
    const github = world.connect({
      credential: { kind: 'app', appId: String(sim.app.id), privateKey, installationId: installation.id },
    })
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(world.requests[0]).toBe(`POST /app/installations/${installation.id}/access_tokens`)
  })

  it('are not given to an installation that is suspended or gone', async () => {
    await using world = await startGitHubWorld()
    const { sim, connect } = world
    sim.world.addOrganization('other')
    const { id } = sim.install('other')
    sim.suspend(id)
    const other = { kind: 'organization', organization: 'other' } as const
    expect(await connect({}).runners.list(other)).toMatchObject({
      kind: 'blind',
      reason: { code: 'forbidden', detail: textWith('suspended') },
    })
    sim.uninstall(id)
    expect(await connect({}).runners.list(other)).toMatchObject({ kind: 'blind', reason: { code: 'forbidden' } })
  })

  it('cannot be had with a key that is none, and the key is not shown', async () => {
    await using world = await startGitHubWorld()
    const privateKey = new Secret('private-key', 'hunter2-is-no-pem')
    const github = world.connect({ credential: { kind: 'app', appId: '1', privateKey } })
    const result = await github.runners.list(ORG)
    expect(result).toMatchObject({ kind: 'blind', reason: { code: 'unauthenticated' } })
    expect(JSON.stringify(result)).not.toContain('hunter2')
    expect(world.requests).toEqual([])
  })
})

describe('a personal token', () => {
  it('reads and writes, and is not tried again where it is refused', async () => {
    await using world = await startGitHubWorld()
    const token = world.sim.personalToken('acme')
    const github = world.connect({ credential: tokenCredential(token) })
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(github.access.budgets()).toMatchObject([{ credential: 'token' }])
    world.sim.revokeToken(token)
    const asked = world.requests.length
    const refused = await github.runners.list(ORG)
    expect(refused).toMatchObject({
      kind: 'blind',
      reason: { code: 'unauthenticated', detail: textWith('Bad credentials') },
    })
    expect(world.requests).toHaveLength(asked + 1)
  })

  it('is refused with the name of the missing permission', async () => {
    await using world = await startGitHubWorld()
    const token = world.sim.personalToken('acme', { metadata: 'read', actions: 'read' })
    const github = world.connect({ credential: tokenCredential(token) })
    expect(await github.runners.deregister(ORG, 1)).toEqual({
      kind: 'forbidden',
      permission: 'organization_self_hosted_runners=write',
      detail: textWith('not accessible'),
    })
    const job = world.sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    expect(await github.jobs.rerun('acme/api', job.id)).toMatchObject({
      kind: 'forbidden',
      permission: 'actions=write',
    })
    expect(await github.hooks.deliveries({ kind: 'app' }, 0)).toMatchObject({
      kind: 'blind',
      reason: { code: 'unsupported' },
    })
  })

  it('has known scopes only if GitHub names them', async () => {
    const needed = [
      { name: 'actions', level: 'write' },
      { name: 'organization_self_hosted_runners', level: 'write' },
      { name: 'checks', level: 'write' },
    ] as const
    await using world = await startGitHubWorld()
    const github = world.connect({ credential: tokenCredential(world.sim.personalToken('acme')) })
    expect(await github.access.missing('acme', needed)).toMatchObject({
      kind: 'blind',
      reason: { code: 'unsupported' },
    })
    const headers = { 'x-oauth-scopes': 'repo, read:org' }
    world.sim.faults.add({ path: /meta/u, fault: { kind: 'answer', status: 200, headers, body: '{}' } })
    expect(await github.access.missing('acme', needed)).toEqual({ kind: 'seen', value: [needed[1], needed[2]] })
  })
})
