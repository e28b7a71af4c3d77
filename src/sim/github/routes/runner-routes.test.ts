import { describe, expect, it } from 'vitest'
import { createCheckedSim } from '#test/github/checked-sim.ts'

const JIT = { name: 'slot-1', runner_group_id: 1, labels: ['linux', 'big'] }

describe('JIT configurations', () => {
  it.each(['/orgs/acme', '/repos/acme/api'])(
    'mints a runner that is offline and has taken its name, for %s',
    async (scope) => {
      const { sim, asInstallation } = createCheckedSim()
      const minted = await asInstallation('POST', `${scope}/actions/runners/generate-jitconfig`, JIT)
      expect(minted.status).toBe(201)
      expect(minted.body).toMatchObject({
        runner: { name: 'slot-1', os: 'unknown', status: 'offline', busy: false, ephemeral: true },
      })
      expect(sim.world.runners().map((runner) => runner.labels)).toEqual([['linux', 'big']])
      const again = await asInstallation('POST', `${scope}/actions/runners/generate-jitconfig`, JIT)
      expect(again.status).toBe(409)
      expect(again.body).toMatchObject({ message: 'Already exists - A runner with the name slot-1 already exists.' })
    },
  )

  it.each([
    ['no body', undefined],
    ['no name', { ...JIT, name: undefined }],
    ['a name that is too long', { ...JIT, name: 'x'.repeat(65) }],
    ['no labels', { ...JIT, labels: [] }],
    ['labels that are no names', { ...JIT, labels: [1] }],
    ['more than 100 labels', { ...JIT, labels: Array.from({ length: 101 }, (_, index) => `l${index}`) }],
    ['no group', { ...JIT, runner_group_id: undefined }],
  ])('refuses %s with 422', async (_, body) => {
    const { sim, asInstallation } = createCheckedSim()
    const answer = await asInstallation('POST', '/orgs/acme/actions/runners/generate-jitconfig', body)
    expect(answer.status).toBe(422)
    expect(sim.world.runners()).toEqual([])
  })

  it('does not know a group that is not there, nor the organisation of a user', async () => {
    const { sim, call, asInstallation } = createCheckedSim()
    const path = '/orgs/acme/actions/runners/generate-jitconfig'
    expect((await asInstallation('POST', path, { ...JIT, runner_group_id: 9 })).status).toBe(404)
    sim.world.addUser('mona')
    const token = sim.personalToken('mona')
    expect((await call('POST', path.replace('acme', 'mona'), { token, body: JIT })).status).toBe(404)
  })
})

describe('the list of runners', () => {
  it('comes in pages with links, in the order of registration', async () => {
    const { sim, asInstallation } = createCheckedSim()
    for (let index = 0; index < 5; index += 1) register(sim, `r${index}`)
    const first = await asInstallation('GET', '/orgs/acme/actions/runners?per_page=2')
    expect(first.body).toMatchObject({ total_count: 5, runners: [{ name: 'r0' }, { name: 'r1' }] })
    expect(first.headers.get('link')).toBe(
      '<https://api.github.test/orgs/acme/actions/runners?per_page=2&page=2>; rel="next", ' +
        '<https://api.github.test/orgs/acme/actions/runners?per_page=2&page=3>; rel="last"',
    )
    const last = await asInstallation('GET', '/orgs/acme/actions/runners?per_page=2&page=3')
    expect(last.body).toMatchObject({ runners: [{ name: 'r4' }] })
    expect(last.headers.get('link')).toContain('rel="prev"')
    expect(last.headers.get('link')).not.toContain('rel="next"')
  })

  it('drifts when a runner goes between two pages: one is skipped and the count says so', async () => {
    const { sim, asInstallation } = createCheckedSim()
    const ids = [0, 1, 2, 3].map((index) => register(sim, `r${index}`))
    const scope = { kind: 'organization', login: 'acme' } as const
    sim.faults.add({
      path: /&page=2/,
      fault: { kind: 'meanwhile', happens: () => sim.world.removeRunner(scope, ids[0]!) },
    })
    const first = await asInstallation('GET', '/orgs/acme/actions/runners?per_page=2')
    const second = await asInstallation('GET', '/orgs/acme/actions/runners?per_page=2&page=2')
    expect(first.body).toMatchObject({ total_count: 4, runners: [{ name: 'r0' }, { name: 'r1' }] })
    expect(second.body).toMatchObject({ total_count: 3, runners: [{ name: 'r3' }] })
    expect(sim.faults.unfired()).toEqual([])
  })

  it('has at most a hundred rows on a page, and thirty where nobody asked', async () => {
    const { sim, asInstallation } = createCheckedSim()
    for (let index = 0; index < 101; index += 1) register(sim, `r${index}`)
    const countRunners = async (query: string): Promise<number> => {
      const { body } = await asInstallation('GET', `/orgs/acme/actions/runners?${query}`)
      return (body as { readonly runners: readonly unknown[] }).runners.length
    }
    expect(await countRunners('per_page=1000')).toBe(100)
    expect(await countRunners('per_page=0')).toBe(30)
    expect(await countRunners('per_page=100&page=2')).toBe(1)
    expect(await countRunners('per_page=100&page=3')).toBe(0)
  })

  it('can be narrowed to a name', async () => {
    const { sim, asInstallation } = createCheckedSim()
    for (const name of ['a', 'ab']) register(sim, name)
    const answer = await asInstallation('GET', '/orgs/acme/actions/runners?name=a')
    expect(answer.body).toMatchObject({ total_count: 1, runners: [{ name: 'a' }] })
  })

  it('is separate for the organisation and each repository', async () => {
    const { sim, asInstallation } = createCheckedSim()
    register(sim, 'of-acme')
    register(sim, 'of-acme', 'acme/api')
    const id = register(sim, 'of-api', 'acme/api')
    expect((await asInstallation('GET', '/repos/acme/api/actions/runners')).body).toMatchObject({
      runners: [{ name: 'of-acme' }, { name: 'of-api' }],
    })
    expect((await asInstallation('GET', '/repos/acme/web/actions/runners')).body).toMatchObject({ total_count: 0 })
    expect((await asInstallation('GET', `/repos/acme/api/actions/runners/${id}`)).status).toBe(200)
    expect((await asInstallation('GET', `/orgs/acme/actions/runners/${id}`)).status).toBe(404)
  })

  it('names the groups', async () => {
    const { sim, asInstallation } = createCheckedSim()
    sim.world.addRunnerGroup('acme', { name: 'release', visibility: 'selected', repositories: ['acme/web'] })
    expect((await asInstallation('GET', '/orgs/acme/actions/runner-groups')).body).toMatchObject({
      total_count: 2,
      runner_groups: [
        { id: 1, name: 'Default', default: true },
        { id: 2, name: 'release', visibility: 'selected' },
      ],
    })
  })
})

describe('the removal of a runner', () => {
  it('is 204 for an idle one and 404 the second time', async () => {
    const { sim, asInstallation } = createCheckedSim()
    const id = register(sim, 'idle')
    expect((await asInstallation('DELETE', `/repos/acme/api/actions/runners/${id}`)).status).toBe(404)
    expect((await asInstallation('DELETE', `/orgs/acme/actions/runners/${id}`)).status).toBe(204)
    expect((await asInstallation('DELETE', `/orgs/acme/actions/runners/${id}`)).status).toBe(404)
  })

  it('is refused with 422 for a busy one, also when it vanished, until GitHub has given the job up', async () => {
    const { sim, clock, asInstallation } = createCheckedSim()
    const id = register(sim, 'busy')
    sim.world.runnerComesOnline(id)
    const job = sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    sim.world.assign()
    sim.world.startJob(job.id)
    sim.world.runnerVanishes(id)
    const path = `/orgs/acme/actions/runners/${id}`
    const refused = await asInstallation('DELETE', path)
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({ message: 'Bad request - Runner "busy" is still running a job"' })
    expect((await asInstallation('GET', path)).body).toMatchObject({ status: 'offline', busy: true })
    clock.advance(10 * 60_000)
    expect((await asInstallation('DELETE', path)).status).toBe(204)
  })

  it('needs no token of its own, but such tokens can be had', async () => {
    const { asInstallation } = createCheckedSim()
    for (const kind of ['registration-token', 'remove-token']) {
      expect((await asInstallation('POST', `/orgs/acme/actions/runners/${kind}`)).status).toBe(201)
      expect((await asInstallation('POST', `/repos/acme/api/actions/runners/${kind}`)).status).toBe(201)
    }
  })
})

function register(sim: ReturnType<typeof createCheckedSim>['sim'], name: string, repository?: string): number {
  const outcome = sim.world.registerRunner({
    name,
    labels: ['linux'],
    scope:
      repository === undefined ? { kind: 'organization', login: 'acme' } : { kind: 'repository', fullName: repository },
  })
  if (outcome.kind !== 'registered') throw new Error(outcome.kind)
  return outcome.runner.id
}
