import type { Observed } from '#/core/basics/observed.ts'
import { blind, seenList } from '#/core/basics/observed.ts'
import type { Installation, Level, Permission } from '#/ports/github.ts'

const RANK: Readonly<Record<Level, number>> = { read: 1, write: 2, admin: 3 }

/** What an App's installation was not granted. Without an installation that is everything. */
export function missingFromInstallation(
  installation: Observed<Installation>,
  needed: readonly Permission[],
): Observed<readonly Permission[]> {
  if (installation.kind === 'blind') return installation
  const granted = installation.kind === 'seen' ? installation.value.permissions : []
  return seenList(
    needed.filter(({ name, level }) => !granted.some((g) => g.name === name && RANK[g.level] >= RANK[level])),
  )
}

/** The scopes of a classic token that include a permission. What is not here only an App can have. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'organization_self_hosted_runners:read': ['admin:org', 'manage_runners:org'],
  'organization_self_hosted_runners:write': ['admin:org', 'manage_runners:org'],
  'organization_hooks:write': ['admin:org_hook'],
  'administration:read': ['repo'],
  'administration:write': ['repo'],
  'actions:read': ['repo'],
  'actions:write': ['repo'],
  'checks:read': ['repo'],
  'metadata:read': ['repo', 'public_repo'],
}

/** `scopes`: GitHub's header, which it sends only for classic tokens. */
export function missingFromScopes(
  scopes: string | null,
  needed: readonly Permission[],
): Observed<readonly Permission[]> {
  if (scopes === null) return blind('unsupported', 'GitHub does not report the permissions of a fine-grained token')
  const held = new Set(scopes.split(',').map((scope) => scope.trim()))
  return seenList(needed.filter(({ name, level }) => !SCOPES[`${name}:${level}`]?.some((scope) => held.has(scope))))
}
