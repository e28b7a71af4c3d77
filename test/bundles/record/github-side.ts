import { systemClock } from '#/adapters/clock.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import type { JobConclusion } from '#/sim/github/world-state.ts'

const OWNER = 'acme'
/** GitHub waits for ten minutes before it gives a runner up; where a recording needs that, it waits no longer than this. */
const SHORT_PATIENCE_MS = 2000

export type GitHubSide = AsyncDisposable & {
  readonly repository: string
  readonly environment: Readonly<Record<string, string>>
  /** The page of the job, as a person has it in the browser. */
  readonly jobAddress: () => string
  /** The runner speaks for the first time. */
  readonly comesOnline: () => void
  /** The runner takes the job and is in the middle of its step. */
  readonly takesJob: () => void
  readonly endsJob: (conclusion: JobConclusion, told?: JobEnd) => void
  /** The runner is silent. Its job is in progress until GitHub gives it up. */
  readonly fallsSilent: () => void
  /** So long that GitHub says that it lost communication. */
  readonly givesUp: () => Promise<void>
}

type JobEnd = { readonly annotations?: readonly string[]; readonly log?: readonly string[] }

export type GitHubPlan = {
  readonly seed: number
  readonly repository: string
  readonly runner: string
  readonly job: string
  readonly step: string
  readonly labels: readonly string[]
  /** The job is given up while we watch, and not ten minutes later. */
  readonly isImpatient: boolean
}

/** One simulated GitHub for one recording, over HTTP, with a job that waits for this runner. */
export async function openGitHubSide(plan: GitHubPlan): Promise<GitHubSide> {
  const rules = plan.isImpatient ? { lostCommunicationMs: SHORT_PATIENCE_MS } : {}
  const sim = createSimGitHub({ clock: systemClock, seed: plan.seed, rules })
  const { world } = sim
  const repository = `${OWNER}/${plan.repository}`
  world.addOrganization(OWNER)
  world.addRepository(repository)
  sim.install(OWNER)
  const scope = { kind: 'organization', login: OWNER } as const
  const registered = world.registerRunner({ name: plan.runner, scope, labels: plan.labels, ephemeral: true })
  if (registered.kind !== 'registered') throw new Error(`the runner is ${registered.kind}`)
  const runner = registered.runner.id
  const { id, run } = world.queueJob({ repository, name: plan.job, labels: plan.labels, workflow: 'CI' })
  const served = await serveGitHub(sim.fetch)
  return {
    repository,
    environment: { SIGNALBOX_GITHUB_TOKEN: sim.personalToken(OWNER), SIGNALBOX_GITHUB_BASE_URL: served.url },
    jobAddress: () => `${served.url}/${repository}/actions/runs/${run}/job/${id}`,
    comesOnline: () => void world.runnerComesOnline(runner),
    takesJob: () => {
      world.runnerComesOnline(runner)
      world.assign()
      world.startJob(id)
      for (const step of ['Run actions/checkout@v5', plan.step]) world.beginStep(id, step)
    },
    endsJob: (conclusion, { annotations = [], log = [] } = {}) => {
      const at = new Date().toISOString().replace('Z', '0000Z')
      world.completeJob(id, {
        conclusion,
        annotations: annotations.map((message) => ({ level: 'failure', title: null, path: '.github', message })),
        log: log.map((line) => `${at} ${line}\n`).join(''),
      })
    },
    fallsSilent: () => void world.runnerVanishes(runner),
    givesUp: async () => {
      world.runnerVanishes(runner)
      await systemClock.sleep(SHORT_PATIENCE_MS + 500)
      world.passTime()
    },
    [Symbol.asyncDispose]: served.stop,
  }
}
