import { quotesSecret } from '#/adapters/redaction/quotes-secret.ts'
import type {
  ActTarget,
  FinalizerActs,
  KubernetesActs,
  LaneActs,
  ObjectVersion,
  RemovalOutcome,
  SecretOrder,
  SecretOutcome,
} from '#/ports/kubernetes-acts.ts'
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

export function finalizerActs(kubernetes: Pick<Kubernetes, 'patch'>): FinalizerActs {
  return {
    strip: async ({ pod, finalizers, finalizer }, signal) => {
      const changes = { metadata: { finalizers: finalizers.filter((one) => one !== finalizer) } }
      return toRemoval(await kubernetes.patch({ ...toRef(pod), patch: { kind: 'merge', changes } }, signal))
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

/** Who the API server writes down as the owner of what we apply. */
export const FIELD_MANAGER = 'signalbox'

export function laneActs(kubernetes: Pick<Kubernetes, 'delete' | 'patch'>): LaneActs {
  return {
    setCap: async (target, { cap, annotation: { key, value } }, signal) => {
      const changes = {
        metadata: { annotations: { [key]: value } },
        spec: { minRunners: cap.min, maxRunners: cap.max },
      }
      const patch = { kind: 'merge', changes } as const
      return toRemoval(await kubernetes.patch({ ...atVersion(RESOURCES.autoscalingRunnerSets, target), patch }, signal))
    },
    recreateListener: async (pod, signal) => toRemoval(await kubernetes.delete(atVersion(RESOURCES.pods, pod), signal)),
    applySecret: async (order, signal) => toSecretOutcome(await applySecret(kubernetes, order, signal), order),
  }
}

function atVersion(resource: (typeof RESOURCES)[keyof typeof RESOURCES], target: ObjectVersion) {
  const { namespace, name, uid, resourceVersion } = target
  return { resource, namespace, name, preconditions: { uid, resourceVersion } }
}

async function applySecret(
  kubernetes: Pick<Kubernetes, 'patch'>,
  { namespace, name, type, data, existing, force }: SecretOrder,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type, data }
  const patch = { kind: 'apply', fieldManager: FIELD_MANAGER, force, object } as const
  const preconditions = existing === null ? {} : { preconditions: existing }
  return await kubernetes.patch({ resource: RESOURCES.secrets, namespace, name, ...preconditions, patch }, signal)
}

function toSecretOutcome(outcome: WriteOutcome, { data }: SecretOrder): SecretOutcome {
  const managers = outcome.kind === 'conflict' ? readManagers(outcome.message) : []
  if (managers.length > 0) return { kind: 'owned', managers }
  const result = toRemoval(outcome)
  if ('message' in result) return quotesSecret(result.message, data) ? { ...result, message: HIDDEN } : result
  // A server that fails may quote it too.
  return result.kind === 'blind' && quotesSecret(result.reason.detail, data)
    ? { ...result, reason: { ...result.reason, detail: HIDDEN } }
    : result
}

/** `conflict with "kubectl-create" using v1: .data..dockerconfigjson`, or a list of them. */
function readManagers(message: string): readonly string[] {
  const found = message.matchAll(/conflicts? with "([^"]{1,128})"/gu)
  return [...new Set([...found].flatMap(([, manager]) => manager ?? []))]
}

const HIDDEN = 'the answer is not shown: it quotes the Secret'
