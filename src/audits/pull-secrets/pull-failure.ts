import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { imageRepository, parseImage } from '#/core/kubernetes/image-name.ts'
import { imageTrouble } from '#/core/kubernetes/pod-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'

/** A pod that cannot pull an image. */
export type PullFailure = {
  readonly pod: PodRecord
  readonly image: string
  readonly repository: string
  /** With its port; Docker Hub is `docker.io`. */
  readonly registry: string
  /** The registry denied access. */
  readonly isDenied: boolean
  /** The kubelet's message, without its back-off prefix. */
  readonly message: string
  /** The pod's pull secrets, including those of its ServiceAccount. */
  readonly secrets: readonly string[]
  /** Pull secrets that the kubelet could not find. */
  readonly unfound: ReadonlySet<string>
}

export function readPullFailure(pod: PodRecord, events: readonly EventFacts[]): PullFailure | null {
  const trouble = imageTrouble(pod)
  if (trouble === null || trouble.state.kind !== 'waiting') return null
  const specified = [...listAt(pod.spec, 'initContainers'), ...listAt(pod.spec, 'containers')]
  const own = specified.find((container) => textAt(container, 'name') === trouble.name)
  const image = textAt(own, 'image') ?? trouble.image
  if (image === null) return null
  const failed = events.filter(
    ({ reason, message }) => reason === 'Failed' && message.startsWith('Failed to pull image'),
  )
  const latest = failed.toSorted((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0))[0]?.message ?? null
  const waiting = withoutBackOff(trouble.state.message ?? '')
  const text = waiting === '' ? (latest ?? '') : waiting
  return {
    pod,
    image,
    repository: imageRepository(image),
    registry: parseImage(image).registry,
    isDenied: isDenial(text, image) || (latest !== null && isDenial(latest, image)),
    message: text,
    secrets: listPullSecrets(pod.spec),
    unfound: new Set(events.flatMap(unfoundSecrets)),
  }
}

export function listPullSecrets(holder: unknown): readonly string[] {
  return listAt(holder, 'imagePullSecrets').flatMap((secret) => textAt(secret, 'name') ?? [])
}

/** `Back-off pulling image "x": ErrImagePull: …`; older kubelets end after the name. */
function withoutBackOff(message: string): string {
  return message.replace(/^Back-off pulling image "[^"]*"(?::\s*(?:ErrImagePull:\s*)?)?/, '')
}

const DENIED =
  /\b40[13]\b|\bunauthorized\b|\bforbidden\b|\bdenied\b|authentication required|authorization failed|no basic auth credentials|insufficient[_ ]scope|incorrect username or password/i

/** Names, tags and URLs are removed first: `ci/forbidden:403` may be an image that just does not exist. */
export function isDenial(text: string, image: string): boolean {
  const own = text
    .replaceAll(image, ' ')
    .replaceAll(/"[^"]*"/g, ' ')
    .replaceAll(/https?:\/\/[^\s"]*[^\s":]/g, ' ')
    .replaceAll(/\[[^\][]*\]/g, ' ')
  return DENIED.test(own)
}

/** `Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed.` */
function unfoundSecrets({ reason, message }: EventFacts): readonly string[] {
  if (reason !== 'FailedToRetrieveImagePullSecret') return []
  const names = /\((?<names>[^)]*)\)/.exec(message)?.groups?.['names'] ?? ''
  return names.split(',').map((name) => name.trim())
}

const OTHER_CAUSE =
  /not found|manifest unknown|no such host|timeout|timed out|connection refused|too ?many ?requests|no space left|x509|invalid reference/i

/** The pull failed because this Secret is missing: it was denied, or the kubelet did not find the Secret and no other cause is known. */
export function isCausedByMissing(failure: PullFailure, secret: string): boolean {
  if (failure.isDenied) return true
  return failure.unfound.has(secret) && !OTHER_CAUSE.test(failure.message)
}
