import { randomUUID } from 'node:crypto'
import { systemClock } from '#/adapters/clock.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { connectKubernetes } from '#/adapters/kubernetes/connect.ts'
import type { CredentialSource } from '#/adapters/kubernetes/credentials.ts'
import { kubeconfigCredentials } from '#/adapters/kubernetes/kubeconfig-credentials.ts'
import type { KubeconfigSource } from '#/adapters/kubernetes/load-kubeconfig.ts'
import type { Tuning } from '#/adapters/kubernetes/tuning.ts'
import type { WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

/** Retries fast for tests; everything else is as in production. */
const QUICK: Partial<Tuning> = { backoffFirstMs: 50, backoffMostMs: 500 }

export function connectWith(credentials: CredentialSource, tuning: Partial<Tuning> = {}): KubernetesConnection {
  return connectKubernetes({
    credentials,
    clock: systemClock,
    random: Math.random,
    userAgent: 'signalbox-test',
    tuning: { ...QUICK, ...tuning },
  })
}

export function connectBy(kubeconfig: string, tuning: Partial<Tuning> = {}): KubernetesConnection {
  return connectWith(loadCredentials({ kind: 'files', paths: [kubeconfig] }), tuning)
}

export function loadCredentials(source: KubeconfigSource): CredentialSource {
  return kubeconfigCredentials(source, systemClock)
}

/** For calls that need no cancellation. */
export const unhurried = new AbortController().signal

export function doneObject(outcome: WriteOutcome): KubeObject {
  if (outcome.kind === 'done' && outcome.object !== null) return outcome.object
  throw new Error(`the write failed: ${JSON.stringify(outcome)}`)
}

export async function makeNamespace(kubernetes: KubernetesConnection): Promise<string> {
  const name = `t-${randomUUID()}`
  doneObject(await kubernetes.create({ resource: RESOURCES.namespaces, object: { metadata: { name } } }, unhurried))
  const account = { resource: RESOURCES.serviceAccounts, namespace: name, object: { metadata: { name: 'default' } } }
  doneObject(await kubernetes.create(account, unhurried))
  return name
}

export type ConfigMapPlan = { readonly namespace: string; readonly name: string; readonly metadata?: object }

export async function makeConfigMap(kubernetes: KubernetesConnection, plan: ConfigMapPlan): Promise<KubeObject> {
  const { namespace, name, metadata } = plan
  const object = { metadata: { name, ...metadata }, data: { key: 'value' } }
  return doneObject(await kubernetes.create({ resource: RESOURCES.configMaps, namespace, object }, unhurried))
}

/** A pod that no node runs. */
export async function makeIdlePod(kubernetes: KubernetesConnection, plan: ConfigMapPlan): Promise<KubeObject> {
  const { namespace, name, metadata } = plan
  const spec = { containers: [{ name: 'main', image: 'none' }], terminationGracePeriodSeconds: 30 }
  const object = { metadata: { name, ...metadata }, spec }
  return doneObject(await kubernetes.create({ resource: RESOURCES.pods, namespace, object }, unhurried))
}
