import type { Thresholds } from './thresholds.ts'

export const POOL_ROLES = ['baseline', 'overflow', 'storage', 'excluded'] as const
export type PoolRole = (typeof POOL_ROLES)[number]

export const LANE_CLASSES = ['general', 'heavy', 'container-build', 'gpu', 'control-plane'] as const
export type LaneClass = (typeof LANE_CLASSES)[number]

export const GITLAB_ROLES = ['guest', 'reporter', 'developer', 'maintainer', 'owner'] as const

/** The declared fleet. Every part is optional: what is missing is taken from the cluster. */
export type FleetFile = {
  readonly controllerNamespace?: string | undefined
  readonly runnerNamespaces?: readonly string[] | undefined
  readonly nodePools?: readonly DeclaredPool[] | undefined
  readonly owners?: readonly DeclaredOwner[] | undefined
  readonly lanes?: readonly DeclaredLane[] | undefined
  readonly pullSecrets?: readonly DeclaredPullSecret[] | undefined
  readonly cache?: DeclaredCache | undefined
  readonly releases?: readonly DeclaredRelease[] | undefined
  readonly gitlab?: DeclaredGitLab | undefined
  readonly thresholds?: Partial<Thresholds> | undefined
}

export type DeclaredPool = {
  readonly name: string
  /** Labels that every node of the pool has. */
  readonly selector: Readonly<Record<string, string>>
  readonly role: PoolRole
}

/** Scale sets are named by `name` or `namespace/name`. */
export type DeclaredOwner = {
  readonly name: string
  readonly namespaces?: readonly string[] | undefined
  readonly scaleSets?: readonly string[] | undefined
}

export type DeclaredLane = {
  readonly label: string
  readonly class?: LaneClass | undefined
  readonly scaleSets?: readonly string[] | undefined
  readonly declaredMax?: number | undefined
  /** How many runners each node pool should hold. */
  readonly envelope?: Readonly<Record<string, number>> | undefined
  readonly requiredVolumes?: readonly DeclaredVolume[] | undefined
}

export type DeclaredVolume = { readonly name: string; readonly storageClass?: string | undefined }

export type NamedPlace = { readonly namespace: string; readonly name: string }

export type DeclaredPullSecret = {
  readonly name: string
  readonly authoritative: { readonly namespace: string }
  readonly copies: readonly { readonly namespace: string }[]
}

export type DeclaredCache = {
  readonly env?: readonly string[] | undefined
  readonly secret?: NamedPlace | undefined
  readonly service?: NamedPlace | undefined
  readonly cacheName?: string | undefined
  readonly trustedKeys?: readonly string[] | undefined
}

/** `fixedIn` of a fix that is in no release yet. */
export const UNRELEASED = 'unreleased'

export type DeclaredRelease = {
  /** The image's repository, without a tag. */
  readonly component: string
  readonly declared?: string | undefined
  /** The first release that contains the fix, or `unreleased`. */
  readonly fixedIn?: string | undefined
  /** Tags or digests that contain the fix although they are not comparable versions. */
  readonly contains?: readonly string[] | undefined
  readonly issue?: string | undefined
}

export type DeclaredGitLab = {
  readonly group?: string | undefined
  readonly namespace?: string | undefined
  readonly tokenSecret?: NamedPlace | undefined
  readonly autoCreatesTokens?: boolean | undefined
  readonly role?: (typeof GITLAB_ROLES)[number] | undefined
  /** Tags that jobs of this fleet ask for. */
  readonly tags?: readonly string[] | undefined
}

/** `name` or `namespace/name`. */
export function namesSet(
  names: readonly string[],
  set: { readonly namespace: string; readonly name: string },
): boolean {
  return names.some((name) => name === set.name || name === `${set.namespace}/${set.name}`)
}
