import { systemClock } from '#/adapters/clock.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import type { World } from '#/sim/github/world/world.ts'
import type { JobConclusion } from '#/sim/github/world/world-state.ts'

const OWNER = 'acme'
/** GitHub gives up on a runner after ten minutes; a recording that needs that waits only this long. */
const SHORT_PATIENCE_MS = 2000

export type GitHubSide = {
  readonly repository: string
  readonly environment: Readonly<Record<string, string>>
  /** The page of the job, as a person has it in the browser. */
  readonly jobAddress: () => string
  /** The runner contacts GitHub for the first time. */
  readonly comesOnline: () => void
  /** The runner takes the job and is in the middle of its step. */
  readonly takesJob: () => void
  readonly endsJob: (conclusion: JobConclusion, end?: JobEnd) => void
  /** The runner is silent. Its job is in progress until GitHub gives up on it. */
  readonly fallsSilent: () => void
  /** So long that GitHub says that it lost communication. */
  readonly givesUp: () => Promise<void>
}

type JobEnd = { readonly annotations?: readonly string[]; readonly log?: readonly string[] }

export type GitHubPlan = {
  readonly repository: string
  readonly runner: string
  readonly job: string
  readonly step: string
  readonly labels: readonly string[]
}

export type GitHubService = AsyncDisposable & {
  readonly environment: Readonly<Record<string, string>>
  /** A repository with a job that waits for this runner. */
  readonly side: (plan: GitHubPlan) => GitHubSide
}

export type GitHubOptions = {
  readonly seed: number
  /** A job is given up while we watch, and not ten minutes later. */
  readonly isImpatient: boolean
}

/** One simulated GitHub, over HTTP. */
export async function openGitHub({ seed, isImpatient }: GitHubOptions): Promise<GitHubService> {
  const rules = isImpatient ? { lostCommunicationMs: SHORT_PATIENCE_MS } : {}
  const sim = createSimGitHub({ clock: systemClock, seed, rules })
  sim.world.addOrganization(OWNER)
  sim.install(OWNER)
  const served = await serveGitHub(sim.fetch)
  const environment = { SIGNALBOX_GITHUB_TOKEN: sim.personalToken(OWNER), SIGNALBOX_GITHUB_BASE_URL: served.url }
  const known = new Set<string>()
  return {
    environment,
    side: (plan) => {
      const repository = `${OWNER}/${plan.repository}`
      if (!known.has(repository)) sim.world.addRepository(repository)
      known.add(repository)
      return createSide(sim.world, plan, { repository, environment, url: served.url })
    },
    [Symbol.asyncDispose]: served.stop,
  }
}

type Place = Pick<GitHubSide, 'repository' | 'environment'> & { readonly url: string }

function createSide(world: World, plan: GitHubPlan, { repository, environment, url }: Place): GitHubSide {
  const scope = { kind: 'organization', login: OWNER } as const
  const registered = world.registerRunner({ name: plan.runner, scope, labels: plan.labels, ephemeral: true })
  if (registered.kind !== 'registered') throw new Error(`the runner is ${registered.kind}`)
  const runner = registered.runner.id
  const { id, run } = world.queueJob({ repository, name: plan.job, labels: plan.labels, workflow: 'CI' })
  return {
    repository,
    environment,
    jobAddress: () => `${url}/${repository}/actions/runs/${run}/job/${id}`,
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
  }
}
