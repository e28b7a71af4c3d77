import { listAt, textAt } from '#/core/basics/fields.ts'
import type { FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { imageRepository } from '#/core/kubernetes/image-name.ts'
import { holdsRoom } from '#/core/fleet/node-room.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'

/** An image that runs or will run, and the object that sets it. */
export type RunningImage = { readonly image: string; readonly repository: string; readonly by: FindingSubject }

/** Every image of the fleet: of existing pods, runner templates, controllers and listeners. */
export function runningImages(fleet: Fleet): readonly RunningImage[] {
  const found = new Map<string, RunningImage>()
  const add = (image: string | null, by: FindingSubject): void => {
    if (image === null) return
    const key = `${image} ${by.kind} ${by.namespace ?? ''}/${by.name}`
    if (!found.has(key)) found.set(key, { image, repository: imageRepository(image), by })
  }
  for (const { namespace, name, template, kind } of fleet.sets) {
    for (const container of listContainers(template)) add(textAt(container, 'image'), { kind, namespace, name })
  }
  for (const { namespace, name, image } of fleet.controllers) add(image, { kind: 'Deployment', namespace, name })
  for (const { namespace, name, image, kind } of fleet.listeners) add(image, { kind, namespace, name })
  for (const pod of fleet.pods.filter(holdsRoom)) {
    const by = findMaker(pod)
    for (const container of listContainers(pod.spec)) add(textAt(container, 'image'), by)
  }
  return [...found.values()]
}

function listContainers(spec: unknown): readonly unknown[] {
  return [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')]
}

/** The scale set if ARC's labels name one, because that is where the image is changed. */
function findMaker({ namespace, name, labels, ownerKinds }: PodRecord): FindingSubject {
  if (textAt(labels, 'app.kubernetes.io/component') === 'runner-scale-set-listener') {
    // The pod has the name of its AutoscalingListener, which holds the image.
    return { kind: 'AutoscalingListener', namespace, name }
  }
  const set = textAt(labels, 'actions.github.com/scale-set-name')
  const setNamespace = textAt(labels, 'actions.github.com/scale-set-namespace')
  if (set !== null && setNamespace !== null) {
    return { kind: 'AutoscalingRunnerSet', namespace: setNamespace, name: set }
  }
  const [owner] = ownerKinds
  if (owner === undefined) return { kind: 'Pod', namespace, name }
  // A ReplicaSet has the name of its Deployment plus a hash.
  return owner.kind === 'ReplicaSet'
    ? { kind: 'Deployment', namespace, name: owner.name.replace(/-[a-z0-9]{5,10}$/, '') }
    : { kind: owner.kind, namespace, name: owner.name }
}
