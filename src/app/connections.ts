import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { readNetwork } from './network.ts'
import type { Network } from './network.ts'
import { openCluster } from './open-cluster.ts'
import { openGitHub } from './open-github.ts'
import type { GitHubConnection } from './open-github.ts'
import type { Part, PartMeans } from './part.ts'

export type ConnectionsPart = Part & {
  readonly network: Network
  readonly kubernetes: KubernetesConnection | null
  readonly github: GitHubConnection | null
}

/** The cluster and GitHub as the configuration names them; several parts share them. Asks nothing yet. */
export async function openConnections({
  config,
  clock,
}: Pick<PartMeans, 'config' | 'clock'>): Promise<ConnectionsPart> {
  const network = await readNetwork(config)
  const kubernetes = openCluster(config, network, clock)
  const github = openGitHub(config, network, clock)
  const dispose = async (): Promise<void> => {
    await github?.[Symbol.asyncDispose]()
    await kubernetes?.[Symbol.asyncDispose]()
  }
  return { network, kubernetes, github, dispose }
}
