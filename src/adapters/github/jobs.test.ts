import { describe, expect, it } from 'vitest'
import { blindAs } from '#test/contracts/github-matchers.ts'
import { startGitHubWorld, tokenCredential } from '#test/contracts/github-world.ts'

async function startOrganization() {
  const world = await startGitHubWorld()
  for (const name of ['acme/web', 'acme/quiet']) world.sim.world.addRepository(name)
  world.sim.world.addRepository('acme/old', { archived: true })
  const queue = (repository: string): number => world.sim.world.queueJob({ repository, labels: ['linux'] }).id
  return { ...world, api: queue('acme/api'), web: queue('acme/web') }
}

describe('queued jobs of an organisation', () => {
  it.each(['app', 'token'] as const)('are listed for each repository that is not archived (%s)', async (kind) => {
    await using world = await startOrganization()
    const token = tokenCredential(world.sim.personalToken('acme'))
    const github = world.connect(kind === 'app' ? {} : { credential: token })
    const oldestFirst = [
      { repository: 'acme/api', jobs: { kind: 'seen', value: [{ id: world.api }] } },
      { repository: 'acme/web', jobs: { kind: 'seen', value: [{ id: world.web }] } },
      { repository: 'acme/quiet', jobs: { kind: 'none' } },
    ]
    expect(await github.jobs.queuedOfOrganization('acme')).toMatchObject({
      kind: 'seen',
      value: kind === 'app' ? oldestFirst : oldestFirst.toReversed(),
    })
  })

  it('of one repository that is blind hide no others', async () => {
    await using world = await startOrganization()
    world.sim.faults.add({ path: /acme\/api\/actions\/runs/u, fault: { kind: 'answer', status: 500 }, times: 9 })
    expect(await world.github.jobs.queuedOfOrganization('acme')).toMatchObject({
      kind: 'seen',
      value: [{ jobs: blindAs('server-error') }, { jobs: { kind: 'seen' } }, { jobs: { kind: 'none' } }],
    })
  })

  it('are blind in a repository where one run is', async () => {
    await using world = await startOrganization()
    const { run } = world.sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    world.sim.faults.add({
      path: new RegExp(`runs/${run}/jobs`, 'u'),
      fault: { kind: 'answer', status: 500 },
      times: 9,
    })
    expect(await world.github.jobs.queued('acme/api')).toEqual(blindAs('server-error'))
  })
})
