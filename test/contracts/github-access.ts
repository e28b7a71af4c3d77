import { describe, expect, it } from 'vitest'
import { seen } from '#/core/basics/observed.ts'
import type { GitHubWorld } from './github-world.ts'

const ORG = { kind: 'organization', organization: 'acme' } as const

export function accessContract(world: () => GitHubWorld): void {
  describe('access', () => {
    it('reads the rate limit of each credential from the answers, without a request', async () => {
      const { github, requests, clock } = world()
      await github.runners.list(ORG)
      const asked = requests.length
      const budgets = github.access.budgets()
      expect(budgets.map(({ credential }) => credential.replace(/\d+/u, 'N'))).toEqual(['app N', 'installation N'])
      expect(budgets[1]).toMatchObject({
        resource: 'core',
        limit: 5000,
        remaining: 4999,
        source: 'headers',
        heldUntil: null,
      })
      expect(budgets[1]!.resetAt).toBeGreaterThan(clock.now())
      expect(requests).toHaveLength(asked)
    })

    it('requests the rate limits without using them up', async () => {
      const { github } = world()
      await github.runners.list(ORG)
      const limits = await github.access.rateLimits('acme')
      expect(limits.kind === 'seen' && limits.value.find(({ resource }) => resource === 'core')).toMatchObject({
        remaining: 4999,
        source: 'rate-limit',
      })
    })

    it('finds the installation and its permissions', async () => {
      const { sim, github } = world()
      sim.world.addOrganization('narrow')
      const installed = sim.install('narrow', { permissions: { metadata: 'read', actions: 'read' }, repositories: [] })
      expect(await github.access.installation('narrow')).toMatchObject(
        seen({
          id: installed.id,
          account: 'narrow',
          permissions: [
            { name: 'metadata', level: 'read' },
            { name: 'actions', level: 'read' },
          ],
          repositories: 'selected',
          suspendedAt: null,
        }),
      )
      expect(await github.access.installation('nowhere')).toEqual({ kind: 'none' })
    })

    it('finds the installation of a person', async () => {
      const { sim, github } = world()
      sim.world.addUser('mona')
      const { id } = sim.install('mona')
      expect(await github.access.installation('mona')).toMatchObject(seen({ id, account: 'mona' }))
    })

    it('finds the installation of a repository, and none where it is not selected', async () => {
      const { sim, github } = world()
      sim.world.addOrganization('picky')
      sim.world.addRepository('picky/in')
      sim.world.addRepository('picky/out')
      const { id } = sim.install('picky', { repositories: ['picky/in'] })
      expect(await github.access.installation('picky/in')).toMatchObject(seen({ id }))
      expect(await github.access.installation('picky/out')).toEqual({ kind: 'none' })
    })

    it('names the permissions that are missing', async () => {
      const { sim, github } = world()
      sim.world.addOrganization('narrow')
      sim.install('narrow', { permissions: { metadata: 'read', actions: 'read' } })
      const needed = [
        { name: 'actions', level: 'write' },
        { name: 'actions', level: 'read' },
        { name: 'checks', level: 'read' },
      ] as const
      expect(await github.access.missing('narrow', needed)).toEqual(seen([needed[0], needed[2]]))
      expect(await github.access.missing('acme', needed)).toEqual({ kind: 'none' })
      expect(await github.access.missing('nowhere', needed)).toEqual(seen(needed))
    })

    it('returns the identity of the App', async () => {
      const { sim, github } = world()
      expect(await github.access.app()).toMatchObject(
        seen({ id: sim.app.id, slug: 'signalbox', events: ['workflow_job', 'workflow_run'] }),
      )
    })
  })
}
