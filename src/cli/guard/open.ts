import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { Config } from '#/config/config.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

type Command = Pick<CommandContext, 'config' | 'clock' | 'signal'>

export type OpenGuard = AsyncDisposable & {
  readonly kubernetes: KubernetesConnection
  readonly config: Config
  readonly namespaces: readonly string[]
}

export async function openGuardCluster(command: Command): Promise<OpenGuard> {
  const { config } = await command.config()
  const kubernetes = openCluster(config, await readNetwork(config), command.clock)
  if (kubernetes === null) {
    throw new CommandFailure(EXIT.usage, 'no cluster is configured', ['name one: --kubeconfig FILE'])
  }
  try {
    const namespaces = await findPlaces(config, kubernetes, command.signal)
    return { kubernetes, config, namespaces, [Symbol.asyncDispose]: () => kubernetes[Symbol.asyncDispose]() }
  } catch (error) {
    await kubernetes[Symbol.asyncDispose]()
    throw error
  }
}

/** A guard for all namespaces would be one for none: a budget is in a namespace. So those with scale sets are named. */
async function findPlaces(
  { kubernetes: { namespaces } }: Config,
  kubernetes: KubernetesConnection,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (namespaces.kind === 'named') return namespaces.names
  if (namespaces.kind === 'context') {
    const access = await kubernetes.access(signal)
    return [(access.kind === 'seen' ? access.value.namespace : null) ?? 'default']
  }
  const sets = await kubernetes.list({ resource: RESOURCES.autoscalingRunnerSets }, signal)
  if (sets.kind === 'seen') return [...new Set(sets.value.items.flatMap(({ metadata }) => metadata.namespace ?? []))]
  const why = sets.kind === 'blind' ? describeReason(sets.reason) : 'there is no AutoscalingRunnerSet'
  throw new CommandFailure(EXIT.usage, `cannot find the namespaces of the runners: ${why}`, [
    'name them: -n arc-runners',
  ])
}
