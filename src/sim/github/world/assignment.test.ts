import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHandClock } from '#test/github/hand-clock.ts'
import { draws } from '#test/tiers/long-run.ts'
import { createSeeded } from './seeded.ts'
import type { World } from './world.ts'
import { createWorld } from './world.ts'
import type { WorldRules } from './world-tables.ts'
import { WORLD_RULES } from './world-tables.ts'

const ACME = { kind: 'organization', login: 'acme' } as const

describe('who gets which job', () => {
  it('is a matter of labels: the runner minted for one job may get another', () => {
    const world = newWorld()
    const first = world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    const second = world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    const mintedForSecond = online(world, { name: 'slot-for-second', labels: ['linux'] })
    expect(pairs(world)).toEqual([[first.id, mintedForSecond]])
    const mintedForFirst = online(world, { name: 'slot-for-first', labels: ['linux'] })
    expect(pairs(world)).toEqual([[second.id, mintedForFirst]])
  })

  it('needs every label of the job on the runner, in any case of letters', () => {
    const world = newWorld()
    online(world, { name: 'small', labels: ['linux'] })
    const big = online(world, { name: 'big', labels: ['Linux', 'GPU', 'extra'] })
    const job = world.queueJob({ repository: 'acme/api', labels: ['linux', 'gpu'] })
    expect(pairs(world)).toEqual([[job.id, big]])
  })

  it('stays within the scope of a runner', () => {
    const world = newWorld()
    online(world, { name: 'of-web', labels: [], scope: { kind: 'repository', fullName: 'acme/web' } })
    const ofApi = online(world, { name: 'of-api', labels: [], scope: { kind: 'repository', fullName: 'acme/api' } })
    online(world, { name: 'of-beta', labels: [], scope: { kind: 'organization', login: 'beta' } })
    const job = world.queueJob({ repository: 'acme/api', labels: [] })
    expect(pairs(world)).toEqual([[job.id, ofApi]])
  })

  it.each([
    ['a group for chosen repositories', { visibility: 'selected', repositories: ['acme/web'] }, ['acme/web']],
    ['a group for private repositories', { visibility: 'private' }, ['acme/api', 'acme/web']],
    ['a group for all that keeps public ones out', { visibility: 'all' }, ['acme/api', 'acme/web']],
    ['a group for all', { visibility: 'all', allowsPublicRepositories: true }, ['acme/api', 'acme/web', 'acme/open']],
  ] as const)('respects %s', (_, group, allowed) => {
    const reached = ['acme/api', 'acme/web', 'acme/open'].filter((repository) => {
      const world = newWorld()
      const { id } = world.addRunnerGroup('acme', { name: 'special', ...group })
      online(world, { name: 'r', labels: [], groupId: id })
      world.queueJob({ repository, labels: [] })
      return world.assign().length === 1
    })
    expect(reached).toEqual(allowed)
  })

  it('leaves waiting jobs, busy runners and runners that are away alone', () => {
    const world = newWorld()
    const away = online(world, { name: 'away', labels: [] })
    world.runnerVanishes(away)
    world.queueJob({ repository: 'acme/api', labels: [], waiting: true })
    const busy = online(world, { name: 'busy', labels: [] })
    const job = world.queueJob({ repository: 'acme/api', labels: [] })
    expect(pairs(world)).toEqual([[job.id, busy]])
    world.queueJob({ repository: 'acme/api', labels: [] })
    expect(pairs(world)).toEqual([])
  })

  it('never gives one job twice, two jobs to one runner, or a job to a runner that lacks a label', () => {
    const labels = fc.uniqueArray(fc.constantFrom('linux', 'gpu', 'big'))
    fc.assert(
      fc.property(
        fc.array(labels, { maxLength: 8 }),
        fc.array(labels, { maxLength: 8 }),
        fc.nat(),
        (jobs, offers, seed) => {
          const world = newWorld({ order: 'any' }, seed)
          for (const wanted of jobs) world.queueJob({ repository: 'acme/api', labels: wanted })
          offers.forEach((offered, index) => online(world, { name: `r${index}`, labels: offered }))
          const given = [...world.assign(), ...world.assign()]
          expect(new Set(given.map(({ job }) => job.id)).size).toBe(given.length)
          expect(new Set(given.map(({ runner }) => runner.id)).size).toBe(given.length)
          for (const { job, runner } of given) expect(runner.labels).toEqual(expect.arrayContaining([...job.labels]))
        },
      ),
      { numRuns: draws(200) },
    )
  })
})

function newWorld(rules: Partial<WorldRules> = {}, seed = 1): World {
  const world = createWorld({
    clock: createHandClock(),
    seeded: createSeeded(seed),
    rules: { ...WORLD_RULES, ...rules },
    emit: () => undefined,
  })
  for (const login of ['acme', 'beta']) world.addOrganization(login)
  for (const name of ['acme/api', 'acme/web']) world.addRepository(name)
  world.addRepository('acme/open', { private: false })
  return world
}

function online(
  world: World,
  spec: Omit<Parameters<World['registerRunner']>[0], 'scope'> & Partial<Parameters<World['registerRunner']>[0]>,
): number {
  const outcome = world.registerRunner({ scope: ACME, ...spec })
  if (outcome.kind !== 'registered') throw new Error(outcome.kind)
  return world.runnerComesOnline(outcome.runner.id).id
}

function pairs(world: World): readonly (readonly [number, number])[] {
  return world.assign().map(({ job, runner }) => [job.id, runner.id])
}
