import { listAt, textAt } from '#/core/basics/fields.ts'
import { isDevelopmentBuild, parseVersion } from '#/core/fleet/arc-version.ts'
import type { Controller } from '#/core/fleet/controller.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { imageTag } from '#/core/kubernetes/image-name.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { readContainer } from '#/core/kubernetes/pod-record.ts'

/** The version of a controller, and where it comes from. */
export type ControllerVersion = {
  readonly controller: Controller
  readonly version: string | null
  readonly by: string
}

/** From the running pod, because a rollout may be stuck; from the Deployment if no pod runs. */
export function controllerVersions(fleet: Fleet): readonly ControllerVersion[] {
  const running = fleet.pods.filter(isRunningController)
  return fleet.controllers.map((controller) => {
    const pod = running.find(
      ({ namespace, name }) => namespace === controller.namespace && deploymentName(name) === controller.name,
    )
    if (pod === undefined) {
      return {
        controller,
        version: readVersion(controller.image, controller.version),
        by: `Deployment ${controller.name}`,
      }
    }
    const manager = listAt(pod.spec, 'containers').find((container) => textAt(container, 'name') === 'manager')
    const version = readVersion(textAt(manager, 'image'), textAt(pod.labels, 'app.kubernetes.io/version'))
    return { controller, version: version ?? controller.version, by: `pod ${pod.name}` }
  })
}

function isRunningController(pod: PodRecord): boolean {
  return (
    textAt(pod.labels, 'app.kubernetes.io/part-of') === 'gha-rs-controller' &&
    pod.lastSeenAt === null &&
    pod.deletedAt === null &&
    readContainer(pod, 'manager')?.state.kind === 'running'
  )
}

/** `<deployment>-<hash>-<random>`. */
function deploymentName(pod: string): string {
  return pod.split('-').slice(0, -2).join('-')
}

/** The image tag is the real version; the label is the chart's, used only if the tag is not a version. */
function readVersion(image: string | null, label: string | null): string | null {
  const tag = image === null ? null : imageTag(image)
  return tag !== null && (isDevelopmentBuild(tag) || parseVersion(tag) !== null) ? tag : label
}

/** The controllers that serve sets of this namespace. */
export function listControllers(
  versions: readonly ControllerVersion[],
  namespace: string,
): readonly ControllerVersion[] {
  return versions.filter(
    ({ controller }) => controller.watchedNamespace === null || controller.watchedNamespace === namespace,
  )
}
