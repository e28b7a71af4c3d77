import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import { scopeOf } from '#/core/fleet/github-facts.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** Whose set it is: as declared, by its name before its namespace, else whom it is registered with at GitHub. */
export function ownerOf(set: ScaleSet, { owners = [] }: FleetFile): string | null {
  const byName = owners.find(({ scaleSets }) => scaleSets !== undefined && namesSet(scaleSets, set))
  const byNamespace = owners.find(({ namespaces }) => namespaces?.includes(set.namespace) === true)
  return byName?.name ?? byNamespace?.name ?? registeredWith(set)
}

/** `org`, `org/repository` or `enterprises/name`; with the host where it is not github.com. Null where the URL says nothing. */
export function registeredWith({ configUrl }: Pick<ScaleSet, 'configUrl'>): string | null {
  const scope = scopeOf(configUrl)
  if (scope === null) return null
  const host = /^https?:\/\/(?<host>[^/]+)\//i.exec(configUrl ?? '')?.groups?.['host']?.toLowerCase() ?? ''
  const path = scope.isEnterprise
    ? `enterprises/${scope.owner}`
    : [scope.owner, ...(scope.repository === null ? [] : [scope.repository])].join('/')
  const whole = host === 'github.com' || host === '' ? path : `${host}/${path}`
  return whole.toLowerCase()
}

/** GitHub's own name of the group that a set joins when it names none. */
const DEFAULT_GROUP = 'default'

export function groupOf({ runnerGroup }: Pick<ScaleSet, 'runnerGroup'>): string {
  return (runnerGroup ?? DEFAULT_GROUP).toLowerCase()
}

/** Within one of these a job may reach any set that has its label; sets of two never share a job. */
export function scopeNameOf(set: ScaleSet): string {
  return `${registeredWith(set) ?? 'unknown'}, group ${groupOf(set)}`
}
