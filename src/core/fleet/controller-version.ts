import { listAt, textAt } from '#/core/basics/fields.ts'
import { isDevelopmentBuild, parseVersion } from '#/core/fleet/arc-version.ts'
import type { Controller } from '#/core/fleet/controller.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { imageTag } from '#/core/kubernetes/image-name.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { containerOf } from '#/core/kubernetes/pod-record.ts'

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
      ({ namespace, name }) => namespace === controller.namespace && deploymentOf(name) === controller.name,
    )
    if (pod === undefined) {
      return {
        controller,
        version: versionOf(controller.image, controller.version),
        by: `Deployment ${controller.name}`,
      }
    }
    const manager = listAt(pod.spec, 'containers').find((container) => textAt(container, 'name') === 'manager')
    const version = versionOf(textAt(manager, 'image'), textAt(pod.labels, 'app.kubernetes.io/version'))
    return { controller, version: version ?? controller.version, by: `pod ${pod.name}` }
  })
}

function isRunningController(pod: PodRecord): boolean {
  return (
    textAt(pod.labels, 'app.kubernetes.io/part-of') === 'gha-rs-controller' &&
    pod.lastSeenAt === null &&
    pod.deletedAt === null &&
    containerOf(pod, 'manager')?.state.kind === 'running'
  )
}

/** `<deployment>-<hash>-<random>`. */
function deploymentOf(pod: string): string {
  return pod.split('-').slice(0, -2).join('-')
}

/** The image tag is the real version; the label is the chart's, used only if the tag is not a version. */
function versionOf(image: string | null, label: string | null): string | null {
  const tag = image === null ? null : imageTag(image)
  return tag !== null && (isDevelopmentBuild(tag) || parseVersion(tag) !== null) ? tag : label
}

/** The controllers that serve sets of this namespace. */
export function controllersOf(versions: readonly ControllerVersion[], namespace: string): readonly ControllerVersion[] {
  return versions.filter(
    ({ controller }) => controller.watchedNamespace === null || controller.watchedNamespace === namespace,
  )
}
