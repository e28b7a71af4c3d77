import { describe, expect, it } from 'vitest'
import { fillWorld } from './github-filled.ts'
import type { GitHubWorld } from './github-world.ts'

const REPO = 'acme/api'
const ORG = { kind: 'organization', organization: 'acme' } as const

/** The answer to the adapter's last request, read again with the same credential. */
async function printed({ url, sim, requests }: GitHubWorld): Promise<object> {
  const path = requests.at(-1)?.replace('GET ', '') ?? ''
  const headers = { authorization: `Bearer ${sim.installationToken('acme')}` }
  return (await (await fetch(`${url}${path}`, { headers })).json()) as object
}

export function documentsContract(world: () => GitHubWorld): void {
  describe('documents', () => {
    it('are what GitHub prints', async () => {
      const { sim, github } = world()
      const { job, run, runner } = await fillWorld(sim)
      const { documents } = github
      expect(await documents.job(REPO, job)).toEqual({ kind: 'seen', value: await printed(world()) })
      expect(await documents.run(REPO, run)).toEqual({ kind: 'seen', value: await printed(world()) })
      expect(await documents.annotations(REPO, job)).toEqual({ kind: 'seen', value: await printed(world()) })
      const runners = await documents.runners(ORG)
      expect(await printed(world())).toEqual({ total_count: 1, runners: 'value' in runners && runners.value })
      expect(runners).toMatchObject({ value: [{ id: runner }] })
      expect(await documents.rateLimit('acme')).toMatchObject({ value: { resources: { core: { limit: 5000 } } } })
    })

    it('are those of queued and running jobs only', async () => {
      const { sim, github } = world()
      const { job } = await fillWorld(sim)
      const waiting = sim.world.queueJob({ repository: REPO, labels: ['none-has-it'] })
      const running = sim.world.queueJob({ repository: REPO, labels: ['linux'] })
      sim.world.assign()
      sim.world.startJob(running.id)
      const found = await github.documents.unfinishedJobs(REPO)
      const jobs = found.kind === 'seen' ? found.value.map(({ id, status }) => `${String(id)} ${String(status)}`) : []
      expect(jobs).toContain(`${waiting.id} queued`)
      expect(jobs).toContain(`${running.id} in_progress`)
      expect(jobs.join()).not.toContain(String(job))
    })

    it('are none or blind like the other reads', async () => {
      const { github, sim } = world()
      expect(await github.documents.job(REPO, 4711)).toEqual({ kind: 'none' })
      expect(await github.documents.unfinishedJobs(REPO)).toEqual({ kind: 'none' })
      const hidden = { kind: 'blind', reason: { code: 'forbidden' } }
      expect(await github.documents.job('acme/hidden', 1)).toMatchObject(hidden)
      sim.rateLimit.disable()
      expect(await github.documents.rateLimit('acme')).toEqual({ kind: 'none' })
    })
  })
}
