import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createCheckedSim } from '#test/github/checked-sim.ts'

const HOUR = 3_600_000
const RUNNERS = '/orgs/acme/actions/runners'

describe('the primary limit', () => {
  it('is in every answer and counts down for each installation alone', async () => {
    const { sim, asInstallation, call } = createCheckedSim()
    sim.world.addOrganization('beta')
    sim.install('beta')
    await asInstallation('GET', RUNNERS)
    const second = await asInstallation('GET', RUNNERS)
    expect(Object.fromEntries(second.headers)).toMatchObject({
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4998',
      'x-ratelimit-used': '2',
      'x-ratelimit-reset': String(Date.UTC(2026, 10, 15, 13) / 1_000),
    })
    const other = await call('GET', '/orgs/beta/actions/runners', { token: sim.installationToken('beta') })
    expect(other.headers.get('x-ratelimit-remaining')).toBe('4999')
  })

  it.each([403, 429] as const)('refuses with %i and nothing remaining until the hour is over', async (status) => {
    const { sim, clock, installation, asInstallation } = createCheckedSim()
    sim.rateLimit.answerWith(status)
    sim.rateLimit.set(`installation:${installation.id}`, { remaining: 1 })
    expect((await asInstallation('GET', RUNNERS)).status).toBe(200)
    const refused = await asInstallation('GET', RUNNERS)
    expect(refused).toMatchObject({
      status,
      body: { message: `API rate limit exceeded for installation ID ${installation.id}.` },
    })
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    clock.advance(HOUR)
    expect((await asInstallation('GET', RUNNERS)).status).toBe(200)
  })

  it('can be asked for, which costs nothing', async () => {
    const { sim, installation, asInstallation } = createCheckedSim()
    sim.rateLimit.set(`installation:${installation.id}`, { limit: 15_000, remaining: 0 })
    for (let times = 0; times < 2; times += 1) {
      expect((await asInstallation('GET', '/rate_limit')).body).toMatchObject({
        resources: { core: { limit: 15_000, remaining: 0, used: 15_000 } },
      })
    }
  })

  it('is small for who says no name', async () => {
    const { call } = createCheckedSim()
    expect((await call('GET', '/meta')).headers.get('x-ratelimit-limit')).toBe('60')
  })

  it('does not exist on an enterprise server unless it was set', async () => {
    const { sim, asInstallation } = createCheckedSim({ basePath: '/api/v3' })
    sim.rateLimit.disable()
    const answer = await asInstallation('GET', RUNNERS)
    expect(answer.status).toBe(200)
    expect(answer.headers.has('x-ratelimit-remaining')).toBe(false)
    expect((await asInstallation('GET', '/rate_limit')).status).toBe(404)
  })
})

describe('the secondary limit', () => {
  it('refuses more points in a minute than one endpoint may have: a write counts five', async () => {
    const { sim, clock, asInstallation } = createCheckedSim()
    sim.secondaryLimit.set({ pointsPerMinute: 10 })
    const write = () => asInstallation('POST', `${RUNNERS}/registration-token`)
    expect([(await write()).status, (await write()).status]).toEqual([201, 201])
    const refused = await write()
    expect(refused.status).toBe(403)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect((await asInstallation('GET', RUNNERS)).status).toBe(200)
    clock.advance(60_000)
    expect((await write()).status).toBe(201)
  })

  it('refuses more calls at once than are allowed, and frees the place of each', async () => {
    const { sim, clock, asInstallation } = createCheckedSim()
    sim.secondaryLimit.set({ concurrent: 2 })
    sim.setLatencyMs(1_000)
    const calls = [1, 2, 3].map(() => asInstallation('GET', RUNNERS))
    expect(await Promise.race([...calls, turn('thinking')])).toBe('thinking')
    clock.advance(1_000)
    const answers = await Promise.all(calls)
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 403])
    sim.setLatencyMs(0)
    expect((await asInstallation('GET', RUNNERS)).status).toBe(200)
  })

  it('can be tripped by a test, also without a word on when to come back', async () => {
    const { sim, asInstallation } = createCheckedSim()
    sim.secondaryLimit.trip({ times: 2, status: 429, retryAfterSeconds: null })
    const first = await asInstallation('GET', RUNNERS)
    expect(first.status).toBe(429)
    expect(first.headers.has('retry-after')).toBe(false)
    expect((await asInstallation('GET', RUNNERS)).status).toBe(429)
    expect((await asInstallation('GET', RUNNERS)).status).toBe(200)
  })
})

describe('conditional requests', () => {
  it('answer 304 at no cost while nothing has changed', async () => {
    const { sim, call, installation } = createCheckedSim()
    const token = sim.installationToken('acme')
    const etag = (await call('GET', RUNNERS, { token })).headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[0-9a-f]+"$/)
    const same = await call('GET', RUNNERS, { token, headers: { 'if-none-match': etag } })
    expect(same).toMatchObject({ status: 304, body: '' })
    expect(same.headers.get('x-ratelimit-used')).toBe('1')
    expect(sim.rateLimit.budget(`installation:${installation.id}`).used).toBe(1)
    sim.world.registerRunner({ name: 'new', labels: [], scope: { kind: 'organization', login: 'acme' } })
    const changed = await call('GET', RUNNERS, { token, headers: { 'if-none-match': etag } })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(etag)
  })

  it('know a tag only for the token that it was given to', async () => {
    const { sim, call } = createCheckedSim()
    const first = await call('GET', RUNNERS, { token: sim.installationToken('acme') })
    const etag = first.headers.get('etag') ?? ''
    const later = await call('GET', RUNNERS, {
      token: sim.installationToken('acme'),
      headers: { 'if-none-match': etag },
    })
    expect(later.status).toBe(200)
  })
})
