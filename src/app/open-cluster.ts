import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { connectKubernetes } from '#/adapters/kubernetes/connect.ts'
import { kubeconfigCredentials } from '#/adapters/kubernetes/kubeconfig-credentials.ts'
import type { Network } from './network.ts'
import { ownPackage } from '#/adapters/files/own-package.ts'
import type { Config } from '#/config/config.ts'
import type { Clock } from '#/ports/clock.ts'

/** The cluster that the configuration names; null where it names none and none is around. Asks nothing yet. */
export function openCluster(
  { kubernetes }: Config,
  { proxies, authorities }: Network,
  clock: Clock,
): KubernetesConnection | null {
  if (kubernetes.source.kind === 'nowhere') return null
  return connectKubernetes({
    credentials: kubeconfigCredentials(kubernetes.source, clock),
    clock,
    random: Math.random,
    userAgent: `signalbox/${ownPackage().version}`,
    proxies,
    ownAuthorities: authorities,
  })
}
