import { isDevelopmentBuild, parseVersion } from '#/core/fleet/arc-version.ts'
import type { Controller } from '#/core/fleet/controller.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** The last minor release that has update strategies. */
const LAST_MINOR = 14

/** The controller that serves the set and would wedge it: `eventual`, in a version that has the flag. */
export function eventualController(set: ScaleSet, controllers: readonly Controller[]): Controller | null {
  const own = controllers.filter(({ watchedNamespace }) => watchedNamespace === set.namespace)
  const general = controllers.filter(({ watchedNamespace }) => watchedNamespace === null)
  const serving = own.length > 0 ? own : general
  return serving.find((one) => one.updateStrategy === 'eventual' && hasStrategies(one, set)) ?? null
}

function hasStrategies({ version }: Controller, { generation }: ScaleSet): boolean {
  if (isDevelopmentBuild(version)) return false
  const parsed = parseVersion(version)
  if (parsed === null) return generation !== 'head' && generation !== '0.15'
  return parsed.major === 0 && parsed.minor <= LAST_MINOR
}
