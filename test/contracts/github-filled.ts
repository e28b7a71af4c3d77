import type { SimGitHub } from '#/sim/github/sim-github.ts'
import type { Ids } from './github-reads.ts'

/** One of everything that can be read: a runner, a run with a job that is annotated and logged, a delivery. */
export async function fillWorld(sim: SimGitHub): Promise<Ids> {
  const registered = sim.world.registerRunner({
    name: 'linux-1',
    scope: { kind: 'organization', login: 'acme' },
    labels: ['linux'],
  })
  if (registered.kind !== 'registered') throw new Error(registered.kind)
  sim.world.runnerComesOnline(registered.runner.id)
  const job = sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
  sim.world.queueJob({ run: job.run, labels: ['mac'] })
  sim.world.assign()
  sim.world.startJob(job.id)
  sim.world.completeJob(job.id, { conclusion: 'failure', log: 'one\ntwo\n' })
  sim.world.annotate(job.id, { level: 'failure', message: 'lost', title: null, path: '.github' })
  await sim.webhooks.flush()
  return { runner: registered.runner.id, job: job.id, run: job.run }
}
