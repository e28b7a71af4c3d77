import { HungUp } from '#/sim/github/faults.ts'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
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

/** The simulated GitHub does not list repositories; this does, for the App and for a token. */
export function listingRepositories(names: readonly string[]): (next: FetchHandler) => FetchHandler {
  const repositories = names.map((full_name, index) => ({
    id: index + 1,
    full_name,
    archived: full_name.endsWith('old'),
  }))
  return (next) => async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/installation/repositories')) {
      return Response.json({ total_count: repositories.length, repositories })
    }
    return pathname.endsWith('/orgs/acme/repos') ? Response.json(repositories) : next(request)
  }
}

/** The first bytes arrive, and some time later the connection breaks. */
export function breakingOff(path: RegExp): (next: FetchHandler) => FetchHandler {
  return (next) => async (request) => {
    const answer = await next(request)
    if (!path.test(request.url)) return answer
    const whole = new Uint8Array(await answer.arrayBuffer())
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield whole.subarray(0, 4)
      await new Promise((resolve) => setTimeout(resolve, 50))
      throw new HungUp('the connection was closed')
    }
    return new Response(ReadableStream.from(bytes()), { status: answer.status, headers: answer.headers })
  }
}
