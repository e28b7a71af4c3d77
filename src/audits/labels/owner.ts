import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import { parseScope } from '#/core/fleet/github-facts.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** The owner as declared (by set name, then by namespace), else the scope that the set is registered with at GitHub. */
export function findOwner(set: ScaleSet, { owners = [] }: FleetFile): string | null {
  const byName = owners.find(({ scaleSets }) => scaleSets !== undefined && namesSet(scaleSets, set))
  const byNamespace = owners.find(({ namespaces }) => namespaces?.includes(set.namespace) === true)
  return byName?.name ?? byNamespace?.name ?? registeredWith(set)
}

/** `org`, `org/repository` or `enterprises/name`; with the host if it is not github.com. Null if the URL has no scope. */
export function registeredWith({ configUrl }: Pick<ScaleSet, 'configUrl'>): string | null {
  const scope = parseScope(configUrl)
  if (scope === null) return null
  const host = /^https?:\/\/(?<host>[^/]+)\//i.exec(configUrl ?? '')?.groups?.['host']?.toLowerCase() ?? ''
  const path = scope.isEnterprise
    ? `enterprises/${scope.owner}`
    : [scope.owner, ...(scope.repository === null ? [] : [scope.repository])].join('/')
  const whole = host === 'github.com' || host === '' ? path : `${host}/${path}`
  return whole.toLowerCase()
}

/** GitHub's default runner group. */
const DEFAULT_GROUP = 'default'

export function groupName({ runnerGroup }: Pick<ScaleSet, 'runnerGroup'>): string {
  return (runnerGroup ?? DEFAULT_GROUP).toLowerCase()
}

/** A job can reach any set with its label within one scope; sets of two scopes never share a job. */
export function scopeName(set: ScaleSet): string {
  return `${registeredWith(set) ?? 'unknown'}, group ${groupName(set)}`
}
