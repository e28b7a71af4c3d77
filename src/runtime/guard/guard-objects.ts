import { none } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { comparePiece } from '#/core/guard/compare-guard.ts'
import type { GuardPiece } from '#/core/guard/compare-guard.ts'
import { GUARD_LABELS } from '#/core/guard/manifests.ts'
import type { GuardKind, GuardManifest } from '#/core/guard/manifests.ts'
import { GUARD_MANAGER, WORKING, WORKING_LABEL } from '#/core/guard/stamp.ts'
import type { StampedKind } from '#/core/guard/stamp.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

export const GUARD_RESOURCES = {
  ValidatingAdmissionPolicy: RESOURCES.admissionPolicies,
  ValidatingAdmissionPolicyBinding: RESOURCES.admissionPolicyBindings,
  PodDisruptionBudget: RESOURCES.podDisruptionBudgets,
} as const satisfies Record<GuardKind, unknown>

export function toGuardRef({ kind, metadata: { name, namespace } }: GuardManifest) {
  return { resource: GUARD_RESOURCES[kind], name, ...(namespace === undefined ? {} : { namespace }) }
}

export async function readPiece(
  kubernetes: Pick<Kubernetes, 'get'>,
  manifest: GuardManifest,
  signal: AbortSignal,
): Promise<GuardPiece> {
  return comparePiece(manifest, await kubernetes.get(toGuardRef(manifest), signal))
}

/** Without force: where a GitOps tool owns a field, it would put its own value back. */
export async function applyPiece(
  kubernetes: Pick<Kubernetes, 'patch'>,
  manifest: GuardManifest,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const patch = { kind: 'apply', fieldManager: GUARD_MANAGER, force: false, object: manifest } as const
  return await kubernetes.patch({ ...toGuardRef(manifest), patch }, signal)
}

export type FoundGuard = {
  readonly kind: GuardKind
  readonly objects: Observed<readonly KubeObject[]>
}

const OURS = Object.entries(GUARD_LABELS)
  .map(([key, value]) => `${key}=${value}`)
  .join(',')

/** Everything that carries our labels. The bindings come first: without them a policy refuses nothing. */
export async function findGuardObjects(
  kubernetes: Pick<Kubernetes, 'list'>,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<readonly FoundGuard[]> {
  const wide = ['ValidatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy'] as const
  const places = [
    ...wide.map((kind) => ({ kind, place: {} })),
    ...namespaces.map((namespace) => ({ kind: 'PodDisruptionBudget' as const, place: { namespace } })),
  ]
  const found: FoundGuard[] = []
  for (const { kind, place } of places) {
    const request = { resource: GUARD_RESOURCES[kind], labelSelector: OURS, ...place }
    found.push({ kind, objects: toItems(await kubernetes.list(request, signal)) })
  }
  return found
}

export type FoundStamps = { readonly kind: StampedKind; readonly objects: Observed<readonly KubeObject[]> }

export async function findStamped(
  kubernetes: Pick<Kubernetes, 'list'>,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<readonly FoundStamps[]> {
  const kinds = [
    ['Pod', RESOURCES.pods],
    ['EphemeralRunner', RESOURCES.ephemeralRunners],
  ] as const
  const found: FoundStamps[] = []
  for (const namespace of namespaces) {
    for (const [kind, resource] of kinds) {
      const labelSelector = `${WORKING_LABEL}=${WORKING}`
      found.push({ kind, objects: toItems(await kubernetes.list({ resource, namespace, labelSelector }, signal)) })
    }
  }
  return found
}

/** Where ARC is not installed, it has no records. */
function toItems(list: Awaited<ReturnType<Kubernetes['list']>>): Observed<readonly KubeObject[]> {
  if (list.kind === 'seen') return { kind: 'seen', value: list.value.items }
  return list.kind === 'none' || list.reason.code === 'unsupported' ? none() : list
}
