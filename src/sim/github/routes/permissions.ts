import { badCredentials, notFound, refusal } from '#/sim/github/render/answers.ts'
import type { Installations, Permissions } from '#/sim/github/world/app.ts'
import type { Principal, TokenPrincipal } from '#/sim/github/access/credentials.ts'
import type { Access } from './router.ts'
import { nameKey } from '#/sim/github/world/world-tables.ts'

/** A token dies with its installation, and sleeps while that is suspended. `null` when it is awake. */
export function refuseInstallation(principal: Principal, installations: Installations): Response | null {
  if (principal.kind !== 'token' || principal.installation === null) return null
  const installation = installations.get(principal.installation)
  if (installation === undefined) return badCredentials()
  return installation.suspendedAt === null ? null : refusal(403, 'This installation has been suspended')
}

/** What GitHub answers to somebody who may not; `null` when the caller may. */
export function refuseAccess(
  access: Access,
  principal: Principal,
  params: Readonly<Record<string, string>>,
): Response | null {
  switch (access.kind) {
    case 'anyone':
      return null
    case 'app':
      return principal.kind === 'app' ? null : refusal(401, 'A JSON web token could not be decoded')
    case 'installation':
      return refuseAllButInstallations(principal)
    case 'reader':
      return principal.kind === 'app' ? badCredentials() : null
    case 'permission': {
      if (principal.kind === 'app') return badCredentials()
      if (principal.kind === 'anonymous') return authenticationRequired()
      return refuseToken(access, principal, params)
    }
  }
}

/** `x-accepted-github-permissions`: what would have been enough. */
export function acceptedPermissions(access: Access): Readonly<Record<string, string>> {
  switch (access.kind) {
    case 'anyone':
    case 'app':
      return {}
    case 'installation':
    case 'reader':
      return { 'x-accepted-github-permissions': 'metadata=read' }
    case 'permission':
      return { 'x-accepted-github-permissions': `${access.permission}=${access.level}` }
  }
}

export function covers(granted: Permissions, permission: string, level: 'read' | 'write'): boolean {
  const held = granted[permission]
  return held === 'write' || (held === 'read' && level === 'read')
}

/** Whether the token was given for the repository. What is public, everybody may see besides. */
export function reaches(principal: Principal, fullName: string): boolean {
  const [owner = ''] = fullName.split('/')
  if (principal.kind !== 'token' || nameKey(owner) !== nameKey(principal.account.login)) return false
  return principal.repositories === null || principal.repositories.some((name) => nameKey(name) === nameKey(fullName))
}

function refuseAllButInstallations(principal: Principal): Response | null {
  if (principal.kind === 'anonymous') return authenticationRequired()
  if (principal.kind === 'token' && principal.installation !== null) return null
  return refusal(
    403,
    'You must authenticate with an installation access token in order to list repositories for an installation.',
  )
}

function refuseToken(
  access: Extract<Access, { kind: 'permission' }>,
  principal: TokenPrincipal,
  params: Readonly<Record<string, string>>,
): Response | null {
  const owner = params['org'] ?? params['owner'] ?? ''
  // A repository that the token cannot see does not exist for it; an organisation is known to everybody.
  if (params['repo'] !== undefined && !reaches(principal, `${owner}/${params['repo']}`)) return notFound()
  const isOwner = nameKey(owner) === nameKey(principal.account.login)
  if (isOwner && covers(principal.permissions, access.permission, access.level)) return null
  return refusal(403, `Resource not accessible by ${principal.bearer}`)
}

function authenticationRequired(): Response {
  return refusal(401, 'Requires authentication')
}
