import { githubActs } from '#/adapters/github/acts.ts'
import { kubernetesActs } from '#/adapters/kubernetes/acts.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { openGitHub } from '#/app/open-github.ts'
import type { GitHubConnection } from '#/app/open-github.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { blind } from '#/core/basics/observed.ts'
import type { ActMeans } from '#/runtime/act/means.ts'
import { rememberRemovals } from '#/runtime/act/remember-removals.ts'
import { GITHUB_ADVICE, OPERATE_ADVICE } from './rights.ts'

/** The cluster and GitHub, as a command that acts needs them. */
export type ActingMeans = AsyncDisposable & {
  readonly cluster: KubernetesConnection
  readonly github: GitHubConnection | null
  readonly githubUrl: string
  readonly acts: Pick<ActMeans, 'kubernetes' | 'github'>
  readonly removals: Omit<ReturnType<typeof rememberRemovals>, 'github'>
}

export async function openActingMeans({
  config: load,
  clock,
}: Pick<CommandContext, 'config' | 'clock'>): Promise<ActingMeans> {
  const { config } = await load()
  const network = await readNetwork(config)
  const cluster = openCluster(config, network, clock)
  if (cluster === null) {
    throw new CommandFailure(EXIT.blind, 'no kubeconfig, and not inside a cluster', ['give --kubeconfig FILE'])
  }
  const github = openGitHub(config, network, clock)
  const { github: atGitHub, ...removals } = rememberRemovals(
    github === null ? NO_GITHUB : withAdvice(githubActs(github.runners)),
  )
  return {
    cluster,
    github,
    githubUrl: config.github.baseUrl,
    acts: { kubernetes: advising(kubernetesActs(cluster)), github: atGitHub },
    removals,
    [Symbol.asyncDispose]: async () => {
      await github?.[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

const NO_GITHUB: ActMeans['github'] = {
  deregister: async () => blind('not-asked', `no credential for GitHub is configured; ${GITHUB_ADVICE}`),
}

/** A right that was taken away in the middle of a run. */
function withAdvice(acts: ActMeans['github']): ActMeans['github'] {
  const ask = acts.deregister
  return {
    deregister: async (runner, signal) => {
      const answer = await ask(runner, signal)
      if (answer.kind !== 'blind' || answer.reason.code !== 'forbidden') return answer
      return blind('forbidden', `${answer.reason.detail}; ${GITHUB_ADVICE}`)
    },
  }
}

function advising(acts: ActMeans['kubernetes']): ActMeans['kubernetes'] {
  const advise = (call: ActMeans['kubernetes']['remove']): ActMeans['kubernetes']['remove'] => {
    return async (target, signal) => {
      const outcome = await call(target, signal)
      const isRight = outcome.kind === 'declined' && /\bcannot (?:delete|patch) resource\b/u.test(outcome.message)
      return isRight ? { ...outcome, message: `${outcome.message}; ${OPERATE_ADVICE}` } : outcome
    }
  }
  return { remove: advise(acts.remove), scaleToZero: advise(acts.scaleToZero) }
}
