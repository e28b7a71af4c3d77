import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import { readPod } from './pod-facts.ts'
import type { ContainerFacts, PodFacts } from './pod-facts.ts'

export type PodRecord = PodFacts & {
  readonly spec: Fields
  readonly ownerKinds: readonly { readonly kind: string; readonly name: string; readonly uid: string | null }[]
  readonly raw: Fields
}

export function readPodRecord(object: Fields): PodRecord {
  return {
    ...readPod(object),
    spec: toFields(at(object, 'spec')),
    ownerKinds: listAt(object, 'metadata', 'ownerReferences').map((owner) => ({
      kind: textAt(owner, 'kind') ?? '',
      name: textAt(owner, 'name') ?? '',
      uid: textAt(owner, 'uid'),
    })),
    raw: object,
  }
}

/** Pods that ended use no slot and no resources, although they are still listed. */
export function hasEnded({ phase }: Pick<PodFacts, 'phase'>): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}

export function readContainer(pod: Pick<PodFacts, 'containers'>, name: string): ContainerFacts | null {
  return pod.containers.find((container) => container.name === name) ?? null
}

/** Waiting reasons that mean that the image cannot be pulled. */
const IMAGE_REASONS: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'ErrImageNeverPull',
  'RegistryUnavailable',
  'ImageInspectError',
  'SignatureValidationFailed',
])

/** The container whose image cannot be pulled, with the reason; a back-off hides the text of the last error. */
export function imageTrouble(pod: Pick<PodFacts, 'containers'>): ContainerFacts | null {
  return (
    pod.containers.find(
      ({ state }) => state.kind === 'waiting' && state.reason !== null && IMAGE_REASONS.has(state.reason),
    ) ?? null
  )
}

/** Whether any of its containers ever ran. */
export function everRan(pod: Pick<PodFacts, 'containers'>): boolean {
  return pod.containers.some(
    ({ state, last }) =>
      state.kind === 'running' ||
      (state.kind === 'terminated' && state.startedAt !== null) ||
      (last.kind === 'terminated' && last.startedAt !== null),
  )
}
