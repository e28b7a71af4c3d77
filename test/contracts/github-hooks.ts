import { describe, expect, it } from 'vitest'
import type { GitHubWorld } from './github-world.ts'
import { someText } from './github-matchers.ts'

export function hooksContract(world: () => GitHubWorld): void {
  describe('hooks', () => {
    it('list every attempt of every delivery since a time, over all pages', async () => {
      const { sim, github, clock } = world()
      expect(await github.hooks.deliveries({ kind: 'app' }, 0)).toEqual({ kind: 'none' })
      sim.world.queueJob({ repository: 'acme/api', labels: ['old'] })
      await sim.webhooks.flush()
      clock.advance(60_000)
      const since = clock.now()
      for (let count = 0; count < 70; count += 1) sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
      await sim.webhooks.flush()
      const found = await github.hooks.deliveries({ kind: 'app' }, since)
      const logged = sim.webhooks.log().filter(({ deliveredAt }) => deliveredAt >= since)
      expect(logged.length).toBeGreaterThan(100)
      expect(found.kind === 'seen' && found.value.map(({ id }) => id)).toEqual(logged.map(({ id }) => String(id)))
      expect(found.kind === 'seen' && found.value[0]).toMatchObject({
        event: someText,
        statusCode: 200,
        status: 'OK',
      })
    })

    it('are sent again on request, with the same guid', async () => {
      const { sim, github } = world()
      sim.webhooks.setMishaps({ failed: 1 })
      sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
      await sim.webhooks.flush()
      sim.webhooks.setMishaps({ failed: 0 })
      const failed = sim.webhooks.log()[0]!
      expect(await github.hooks.redeliver({ kind: 'app' }, String(failed.id))).toEqual({ kind: 'requested' })
      await sim.webhooks.flush()
      const found = await github.hooks.deliveries({ kind: 'app' }, 0)
      const attempts = found.kind === 'seen' ? found.value.filter(({ guid }) => guid === failed.guid) : []
      expect(attempts.map(({ statusCode, redelivery }) => [statusCode, redelivery])).toEqual([
        [200, true],
        [504, false],
      ])
      expect((await github.hooks.redeliver({ kind: 'app' }, '4711')).kind).not.toBe('requested')
    })
  })
}
