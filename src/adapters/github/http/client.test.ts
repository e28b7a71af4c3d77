import { describe, expect, it } from 'vitest'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import { blindAs, textLike, textWith } from '#test/contracts/github-matchers.ts'

const ORG = { kind: 'organization', organization: 'acme' } as const
const ORDER = { name: 'linux-1', groupId: 1, labels: ['linux'] }
const RUNNERS = /\/actions\/runners/u

describe('retries', () => {
  it('try a read again after a server error and a hang-up, each time after a longer pause', async () => {
    await using world = await startGitHubWorld()
    const { sim, clock, github } = world
    sim.faults.add({ path: RUNNERS, fault: { kind: 'answer', status: 502 } })
    sim.faults.add({ path: RUNNERS, fault: { kind: 'hang-up', when: 'before' } })
    sim.faults.add({ path: RUNNERS, fault: { kind: 'html', status: 503 } })
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(clock.slept()).toEqual([500, 1000, 2000])
    expect(sim.faults.unfired()).toEqual([])
  })

  it('end after the fourth try, with what the last one met', async () => {
    await using world = await startGitHubWorld()
    const { sim, requests, github } = world
    sim.faults.add({ path: RUNNERS, fault: { kind: 'html', status: 502 }, times: 9 })
    expect(await github.runners.list(ORG)).toEqual({
      kind: 'blind',
      reason: { code: 'server-error', detail: textLike(/502.*HTML page/u) },
    })
    expect(requests.filter((request) => RUNNERS.test(request))).toHaveLength(4)
  })

  it('do not repeat an order that GitHub may have carried out', async () => {
    await using world = await startGitHubWorld()
    const { sim, requests, github } = world
    sim.faults.add({ method: 'POST', path: RUNNERS, fault: { kind: 'answer', status: 502 } })
    expect(await github.runners.mint(ORG, ORDER)).toEqual(blindAs('server-error'))
    expect(requests.filter((request) => RUNNERS.test(request))).toHaveLength(1)
  })

  it('repeat a removal, which does no harm', async () => {
    await using world = await startGitHubWorld()
    const { sim, github } = world
    const minted = await github.runners.mint(ORG, ORDER)
    if (minted.kind !== 'minted') throw new Error(minted.kind)
    sim.faults.add({ method: 'DELETE', path: RUNNERS, fault: { kind: 'hang-up', when: 'before' } })
    expect(await github.runners.deregister(ORG, minted.runner.id)).toEqual({ kind: 'deregistered' })
  })

  it('stop when the caller stops', async () => {
    await using world = await startGitHubWorld()
    const stop = new AbortController()
    world.sim.faults.add({
      path: RUNNERS,
      fault: { kind: 'meanwhile', happens: () => stop.abort() },
    })
    expect(await world.github.runners.list(ORG, { signal: stop.signal })).toEqual(blindAs('stopped'))
    const asked = world.requests.length
    expect(await world.github.runners.list(ORG, { signal: stop.signal })).toEqual(blindAs('stopped'))
    expect(world.requests).toHaveLength(asked)
  })

  it('give up on an answer that does not come in time', async () => {
    await using slow = await startGitHubWorld({
      adapter: { timeoutMs: 50 },
      around: () => () => new Promise(() => undefined),
    })
    expect(await slow.github.runners.list(ORG)).toEqual(blindAs('timeout'))
  })
})

describe('rate limits', () => {
  it('are waited for where they end soon', async () => {
    await using world = await startGitHubWorld()
    const { sim, clock, github } = world
    sim.secondaryLimit.trip({ times: 1, retryAfterSeconds: 20 })
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(clock.slept()).toEqual([20_000])
  })

  it('are reported with their end, and no request is made until then', async () => {
    await using world = await startGitHubWorld()
    const { sim, clock, github, requests } = world
    await github.runners.list(ORG)
    sim.secondaryLimit.trip({ times: 1, retryAfterSeconds: 600 })
    const until = clock.now() + 600_000
    expect(await github.runners.mint(ORG, ORDER)).toEqual({
      kind: 'rate-limited',
      until,
      detail: textWith('secondary'),
    })
    const asked = requests.length
    expect(await github.runners.list(ORG)).toEqual({
      kind: 'blind',
      reason: { code: 'rate-limited', detail: textWith(new Date(until).toISOString()) },
    })
    expect(requests).toHaveLength(asked)
    expect(github.access.budgets().some(({ heldUntil }) => heldUntil === until)).toBe(true)
    clock.advance(600_000)
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
  })

  it('grow where GitHub does not say how long and goes on refusing', async () => {
    await using world = await startGitHubWorld({ adapter: { patienceMs: 300_000 } })
    const { sim, clock, github } = world
    await github.runners.list(ORG)
    sim.secondaryLimit.trip({ times: 3, retryAfterSeconds: null, status: 429 })
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(clock.slept()).toEqual([60_000, 120_000, 240_000])
  })

  it.each([403, 429] as const)('of the hour hold the credential back until the reset (%i)', async (status) => {
    await using world = await startGitHubWorld()
    const { sim, clock, github, requests } = world
    await github.runners.list(ORG)
    const key = github.access.budgets()[1]!.credential.replace(' ', ':')
    sim.rateLimit.answerWith(status)
    sim.rateLimit.set(key, { remaining: 1 })
    expect(await github.runners.byName(ORG, 'x')).toEqual({ kind: 'none' })
    const asked = requests.length
    expect(await github.runners.byName(ORG, 'y')).toEqual(blindAs('rate-limited'))
    expect(requests).toHaveLength(asked)
    expect(github.access.budgets()[1]).toMatchObject({ remaining: 0 })
    clock.advance(3_600_000)
    expect(await github.runners.byName(ORG, 'y')).toEqual({ kind: 'none' })
  })

  it('of one installation do not hold another one back', async () => {
    await using world = await startGitHubWorld()
    const { sim, github } = world
    sim.world.addOrganization('other')
    sim.install('other')
    await github.runners.list(ORG)
    sim.secondaryLimit.trip({ times: 1, retryAfterSeconds: 600 })
    expect(await github.runners.list(ORG)).toEqual(blindAs('rate-limited'))
    expect(await github.runners.list({ kind: 'organization', organization: 'other' })).toEqual({ kind: 'none' })
  })
})

describe('conditional requests', () => {
  it('cost nothing where nothing changed, and see what changed', async () => {
    await using world = await startGitHubWorld()
    const { github, sim } = world
    await github.runners.list(ORG)
    const before = github.access.budgets()[1]!.remaining
    for (let count = 0; count < 5; count += 1) expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(github.access.budgets()[1]!.remaining).toBe(before)
    sim.world.registerRunner({ name: 'new', scope: { kind: 'organization', login: 'acme' }, labels: ['linux'] })
    expect(await github.runners.list(ORG)).toMatchObject({ kind: 'seen', value: [{ name: 'new' }] })
  })

  it('of one credential are not answered with what another one saw', async () => {
    await using world = await startGitHubWorld({
      around: (next) => async (request) => {
        if (!request.url.includes('/installation/repositories')) return next(request)
        if (request.headers.has('if-none-match')) return new Response(null, { status: 304 })
        return Response.json(
          { total_count: 1, repositories: [{ id: 1, full_name: `${owner}/api` }] },
          { headers: { etag: 'e' } },
        )
      },
    })
    let owner = 'acme'
    world.sim.world.addOrganization('other')
    world.sim.world.addRepository('other/api')
    world.sim.install('other')
    for (owner of ['acme', 'other', 'acme']) {
      const queues = await world.github.jobs.queuedOfOrganization(owner)
      expect(queues).toMatchObject({ kind: 'seen', value: [{ repository: `${owner}/api` }] })
    }
  })

  it('are the only ones that may be answered with "not modified"', async () => {
    await using world = await startGitHubWorld()
    world.sim.faults.add({ path: RUNNERS, fault: { kind: 'answer', status: 304 } })
    expect(await world.github.runners.list(ORG)).toEqual(blindAs('malformed', textWith('nobody asked')))
  })

  it('keep the link to the next page', async () => {
    await using world = await startGitHubWorld()
    const job = world.sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    for (let line = 0; line < 150; line += 1) {
      world.sim.world.annotate(job.id, { level: 'notice', message: String(line), title: null, path: 'x' })
    }
    const first = await world.github.checks.annotations('acme/api', job.id)
    expect(await world.github.checks.annotations('acme/api', job.id)).toEqual(first)
    expect(first.kind === 'seen' && first.value).toHaveLength(150)
  })
})

describe('requests at once', () => {
  it('are never more than allowed', async () => {
    let now = 0
    let most = 0
    const three = Promise.withResolvers<void>()
    await using world = await startGitHubWorld({
      adapter: { concurrent: 3 },
      around: (next) => async (request) => {
        now += 1
        most = Math.max(most, now)
        if (now === 3) three.resolve()
        // Nobody is answered before all that may come have come; then there is a moment for one too many.
        if (request.url.includes('name=')) await three.promise
        await new Promise((resolve) => setTimeout(resolve, 5))
        return next(request).finally(() => (now -= 1))
      },
    })
    await world.github.runners.list(ORG)
    await Promise.all(Array.from({ length: 20 }, (_, index) => world.github.runners.byName(ORG, `r${index}`)))
    expect(most).toBe(3)
  })
})

describe('names from outside', () => {
  it.each(['', 'acme', 'acme/..', '../api', 'acme/api/x', 'acme/.'])(
    'cannot lead elsewhere: %j',
    async (repository) => {
      await using world = await startGitHubWorld()
      expect(await world.github.jobs.byId(repository, 1)).toEqual(blindAs('unsupported'))
      expect(world.requests).toEqual([])
    },
  )

  it('are encoded', async () => {
    await using world = await startGitHubWorld()
    await world.github.jobs.byId('acme/a?b#c%2f', 1)
    expect(world.requests).toContain('GET /repos/acme/a%3Fb%23c%252f/actions/jobs/1')
  })
})
