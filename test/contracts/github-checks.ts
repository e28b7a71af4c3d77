import { describe, expect, it } from 'vitest'
import type { GitHubWorld } from './github-world.ts'

const REPO = 'acme/api'

export function checksContract(world: () => GitHubWorld): void {
  describe('checks', () => {
    it('include the annotations of a job over all pages', async () => {
      const { sim, github } = world()
      const job = sim.world.queueJob({ repository: REPO, labels: ['linux'] })
      expect(await github.checks.annotations(REPO, job.id)).toEqual({ kind: 'none' })
      for (let line = 0; line < 150; line += 1) {
        sim.world.annotate(job.id, { level: 'failure', message: `lost ${line}`, title: null, path: '.github' })
      }
      const found = await github.checks.annotations(REPO, job.id)
      expect(found.kind === 'seen' && found.value.map(({ message }) => message)).toEqual(
        Array.from({ length: 150 }, (_, line) => `lost ${line}`),
      )
    })

    it('are blind for a check run that GitHub does not show', async () => {
      expect(await world().github.checks.annotations(REPO, 4711)).toMatchObject({ kind: 'blind' })
    })

    it('are written and changed', async () => {
      const { sim, github } = world()
      const report = { status: 'completed', conclusion: 'neutral', title: 'Why', summary: 'Out of memory' } as const
      const written = await github.checks.create(REPO, { ...report, name: 'signalbox', headSha: 'a'.repeat(40) })
      if (written.kind !== 'written') throw new Error(written.kind)
      expect(sim.world.checkRun(written.id)).toMatchObject({ name: 'signalbox', output: { summary: 'Out of memory' } })
      const changed = await github.checks.update(REPO, written.id, { ...report, summary: 'Evicted' })
      expect(changed).toEqual(written)
      expect(sim.world.checkRun(written.id)).toMatchObject({ output: { summary: 'Evicted' }, conclusion: 'neutral' })
    })

    it('are refused or absent with the reason', async () => {
      const { github } = world()
      const report = { status: 'completed', title: 'Why', summary: '' } as const
      const order = { ...report, name: 'signalbox', headSha: 'a'.repeat(40) }
      expect(await github.checks.create(REPO, order)).toMatchObject({ kind: 'refused' })
      expect(await github.checks.update(REPO, 4711, { ...report, conclusion: 'success' })).toEqual({ kind: 'absent' })
    })
  })
}
