import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { readNetwork } from './network.ts'
import type { Network } from './network.ts'
import { openCluster } from './open-cluster.ts'
import { openGitHub } from './open-github.ts'
import type { GitHubConnection } from './open-github.ts'
import { openLoki } from './open-loki.ts'
import type { LogStore } from '#/ports/log-store.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

export type ConnectionsPart = Part & {
  readonly network: Network
  readonly kubernetes: KubernetesConnection | null
  readonly github: GitHubConnection | null
  readonly logStore: LogStore | null
}

/** The cluster and GitHub as the configuration names them; several parts share them. Asks nothing yet. */
export async function openConnections({
  config,
  clock,
}: Pick<PartMeans, 'config' | 'clock'>): Promise<ConnectionsPart> {
  const network = await readNetwork(config)
  const kubernetes = openCluster(config, network, clock)
  const github = openGitHub(config, network, clock)
  const loki = openLoki(config, network, clock)
  const dispose = async (): Promise<void> => {
    await loki?.[Symbol.asyncDispose]()
    await github?.[Symbol.asyncDispose]()
    await kubernetes?.[Symbol.asyncDispose]()
  }
  return { network, kubernetes, github, logStore: loki, dispose }
}
