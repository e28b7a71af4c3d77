import { isDevelopmentBuild, parseVersion } from '#/core/fleet/arc-version.ts'
import type { Version } from '#/core/fleet/arc-version.ts'
import { listControllers } from '#/core/fleet/controller-version.ts'
import type { ControllerVersion } from '#/core/fleet/controller-version.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

export type Skew = { readonly set: string; readonly controllers: readonly ControllerVersion[] }

/** Null if a controller of the set's version serves it, or if that is unknown. */
export function findSkew(set: ScaleSet, controllers: readonly ControllerVersion[]): Skew | null {
  const own = parseVersion(set.version)
  const serving = listControllers(controllers, set.namespace)
  if (own === null || set.version === null || serving.length === 0) return null
  const isServed = serving.some(({ version }) => {
    const theirs = parseVersion(version)
    return isDevelopmentBuild(version) || theirs === null || areCompatible(own, theirs)
  })
  return isServed ? null : { set: set.version, controllers: serving }
}

/** Up to 0.11 a controller deletes every set that does not have exactly its version; later only major and minor count. */
function areCompatible(set: Version, controller: Version): boolean {
  const isSameMinor = set.major === controller.major && set.minor === controller.minor
  const isExact = controller.major === 0 && controller.minor <= 11
  return isSameMinor && (!isExact || set.patch === controller.patch)
}
