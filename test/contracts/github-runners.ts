import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { seen } from '#/core/basics/observed.ts'
import type { GitHubWorld } from './github-world.ts'
import { textWith } from './github-matchers.ts'

const ORG = { kind: 'organization', organization: 'acme' } as const
const REPO = { kind: 'repository', repository: 'acme/api' } as const
const ORDER = { name: 'linux-1', groupId: 1, labels: ['linux'] }

export function runnersContract(world: () => GitHubWorld): void {
  const register = (name: string) => {
    const outcome = world().sim.world.registerRunner({
      name,
      scope: { kind: 'organization', login: 'acme' },
      labels: ['linux', 'big'],
    })
    if (outcome.kind !== 'registered') throw new Error('the simulated GitHub did not register the runner')
    return outcome.runner
  }

  describe('runners', () => {
    it('are none when GitHub lists none', async () => {
      expect(await world().github.runners.list(ORG)).toEqual({ kind: 'none' })
    })

    it('are listed over all pages', async () => {
      const names = Array.from({ length: 250 }, (_, index) => `linux-${index}`)
      names.forEach(register)
      const list = await world().github.runners.list(ORG)
      expect(list.kind === 'seen' && list.value.map(({ name }) => name)).toEqual(names)
    })

    it('have the state that GitHub has', async () => {
      const { id } = register('linux-1')
      world().sim.world.runnerComesOnline(id)
      expect(await world().github.runners.byId(ORG, id)).toEqual(
        seen({
          id,
          name: 'linux-1',
          os: 'linux',
          status: 'online',
          busy: false,
          ephemeral: false,
          labels: ['linux', 'big'],
          groupId: 1,
        }),
      )
    })

    it('are found by their whole name only', async () => {
      const { id } = register('linux-1')
      register('linux-12')
      expect(await world().github.runners.byName(ORG, 'linux-1')).toMatchObject({ kind: 'seen', value: { id } })
      expect(await world().github.runners.byName(ORG, 'linux')).toEqual({ kind: 'none' })
    })

    it('are none by an id that GitHub does not have', async () => {
      expect(await world().github.runners.byId(ORG, 4711)).toEqual({ kind: 'none' })
    })

    it('are blind, not absent, when the App is not installed', async () => {
      world().sim.world.addOrganization('other')
      const other = { kind: 'organization', organization: 'other' } as const
      expect(await world().github.runners.byId(other, 4711)).toMatchObject({
        kind: 'blind',
        reason: { code: 'forbidden', detail: textWith('not installed at other') },
      })
    })

    it('are deregistered once, and absent after that', async () => {
      const { id } = register('linux-1')
      expect(await world().github.runners.deregister(ORG, id)).toEqual({ kind: 'deregistered' })
      expect(world().sim.world.runner(id)).toBeUndefined()
      expect(await world().github.runners.deregister(ORG, id)).toEqual({ kind: 'absent' })
    })

    it('are not deregistered while they are busy', async () => {
      const { sim, github } = world()
      const { id } = register('linux-1')
      sim.world.runnerComesOnline(id)
      const job = sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
      sim.world.assign()
      sim.world.startJob(job.id)
      expect(await github.runners.deregister(ORG, id)).toEqual({ kind: 'busy' })
      expect(sim.world.runner(id)).toBeDefined()
      expect(await github.runners.byId(ORG, id)).toMatchObject({ kind: 'seen', value: { busy: true } })
    })
  })

  it('finds the runner groups of an organisation', async () => {
    const { github, sim } = world()
    const added = sim.world.addRunnerGroup('acme', { name: 'gpu' })
    expect(await github.runners.groups('acme')).toEqual(
      seen([
        { id: 1, name: 'Default' },
        { id: added.id, name: 'gpu' },
      ]),
    )
    expect(await github.runners.groups('nobody')).toMatchObject({ kind: 'blind' })
  })

  describe('minting', () => {
    it.each([ORG, REPO])('returns a runner of the $kind and a configuration that cannot be printed', async (at) => {
      const { sim, github } = world()
      const minted = await github.runners.mint(at, ORDER)
      if (minted.kind !== 'minted') throw new Error(minted.kind)
      const config = minted.config.reveal()
      expect(JSON.parse(Buffer.from(config, 'base64').toString())).toMatchObject({ agentName: 'linux-1' })
      expect(sim.world.runner(minted.runner.id)).toMatchObject({ name: 'linux-1', ephemeral: true })
      const prints = [inspect(minted, { depth: 9, showHidden: true }), JSON.stringify(minted), String(minted.config)]
      for (const print of prints) expect(print).not.toContain(config)
      expect(prints[1]).toContain('‹redacted:jit-config›')
    })

    it('says that the name is taken', async () => {
      await world().github.runners.mint(ORG, ORDER)
      expect(await world().github.runners.mint(ORG, ORDER)).toEqual({ kind: 'name-taken' })
    })

    it('is refused with the reason when the order is invalid or the group does not exist', async () => {
      expect(await world().github.runners.mint(ORG, { ...ORDER, labels: [] })).toMatchObject({
        kind: 'refused',
        why: 'invalid',
        detail: textWith('labels'),
      })
      expect(await world().github.runners.mint(ORG, { ...ORDER, groupId: 99 })).toMatchObject({
        kind: 'refused',
        why: 'absent',
      })
    })

    it('is not retried when the answer was lost, because the runner may exist', async () => {
      const { sim, github, requests } = world()
      sim.faults.add({ method: 'POST', path: /jitconfig/u, fault: { kind: 'hang-up', when: 'after' } })
      expect(await github.runners.mint(ORG, ORDER)).toMatchObject({ kind: 'blind', reason: { code: 'unreachable' } })
      expect(requests.filter((request) => request.includes('jitconfig'))).toHaveLength(1)
      expect(sim.world.runners()).toHaveLength(1)
    })
  })
}
