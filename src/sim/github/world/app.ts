import type { Account } from './world-state.ts'
import { nameKey } from './world-tables.ts'

/** The one GitHub App of the simulated GitHub and where it is installed. */
export type SimApp = {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly clientId: string
  readonly owner: Account
  readonly publicKeyPem: string
  readonly permissions: Permissions
  readonly events: readonly string[]
  readonly webhook: { readonly url: string; readonly secret: string } | null
  readonly createdAt: number
}

export type Level = 'read' | 'write'
export type Permissions = Readonly<Record<string, Level>>

export type Installation = {
  readonly id: number
  readonly account: Account
  readonly permissions: Permissions
  /** Full names; `null` means all repositories of the account. */
  readonly repositories: readonly string[] | null
  readonly suspendedAt: number | null
  readonly createdAt: number
}

/** What Signalbox asks for in its App manifest. */
export const APP_PERMISSIONS: Permissions = {
  metadata: 'read',
  actions: 'write',
  administration: 'write',
  checks: 'write',
  organization_self_hosted_runners: 'write',
}

export type Installations = ReadonlyMap<number, Installation>

export function installedOn(installations: Installations, login: string): Installation | undefined {
  return [...installations.values()].find(({ account }) => nameKey(account.login) === nameKey(login))
}

/** The installation that sees the repository, if any does. */
export function installationFor(installations: Installations, fullName: string): Installation | undefined {
  const [owner = ''] = fullName.split('/')
  const installation = installedOn(installations, owner)
  if (installation === undefined || installation.repositories === null) return installation
  const isSelected = installation.repositories.some((name) => nameKey(name) === nameKey(fullName))
  return isSelected ? installation : undefined
}
