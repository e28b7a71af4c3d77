import type { ActTarget, KubernetesActs, RemovalOutcome } from '#/ports/kubernetes-acts.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

const RESOURCE = {
  EphemeralRunner: RESOURCES.ephemeralRunners,
  EphemeralRunnerSet: RESOURCES.ephemeralRunnerSets,
  Pod: RESOURCES.pods,
} as const satisfies Record<ActTarget['kind'], unknown>

export function kubernetesActs(kubernetes: Pick<Kubernetes, 'delete' | 'patch'>): KubernetesActs {
  return {
    remove: async (target, signal) => toRemoval(await kubernetes.delete(toRef(target), signal)),
    scaleToZero: async (target, signal) => {
      const patch = { kind: 'merge', changes: { spec: { replicas: 0 } } } as const
      return toRemoval(await kubernetes.patch({ ...toRef(target), patch }, signal))
    },
  }
}

function toRef({ kind, namespace, name, uid, resourceVersion }: ActTarget) {
  return { resource: RESOURCE[kind], namespace, name, preconditions: { uid, resourceVersion } }
}

function toRemoval(outcome: WriteOutcome): RemovalOutcome {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done' }
    case 'conflict':
      return { kind: 'changed', message: outcome.message }
    case 'gone':
      return { kind: 'gone' }
    case 'forbidden':
    case 'refused':
      return { kind: 'declined', message: outcome.message }
    case 'blind':
      return outcome
  }
}
