import { describe, expect, it } from 'vitest'
import { listingRepositories } from '#test/contracts/github-filled.ts'
import { blindAs } from '#test/contracts/github-matchers.ts'
import { startGitHubWorld, tokenCredential } from '#test/contracts/github-world.ts'

async function startOrganization() {
  const world = await startGitHubWorld({
    around: listingRepositories(['acme/api', 'acme/web', 'acme/quiet', 'acme/old']),
  })
  for (const name of ['acme/web', 'acme/quiet', 'acme/old']) world.sim.world.addRepository(name)
  const queue = (repository: string): number => world.sim.world.queueJob({ repository, labels: ['linux'] }).id
  return { ...world, api: queue('acme/api'), web: queue('acme/web') }
}

describe('queued jobs of an organisation', () => {
  it.each(['app', 'token'] as const)('are told for each repository that is not archived (%s)', async (kind) => {
    await using world = await startOrganization()
    const token = tokenCredential(world.sim.personalToken('acme'))
    const github = world.connect(kind === 'app' ? {} : { credential: token })
    expect(await github.jobs.queuedOfOrganization('acme')).toMatchObject({
      kind: 'seen',
      value: [
        { repository: 'acme/api', jobs: { kind: 'seen', value: [{ id: world.api }] } },
        { repository: 'acme/web', jobs: { kind: 'seen', value: [{ id: world.web }] } },
        { repository: 'acme/quiet', jobs: { kind: 'none' } },
      ],
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
