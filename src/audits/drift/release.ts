import { compareVersions, parseVersion } from '#/core/fleet/arc-version.ts'
import type { DeclaredRelease } from '#/core/fleet-file/fleet-file.ts'
import { imageRepository, parseImage } from '#/core/kubernetes/image-name.ts'

/** Below 0: `a` is older. Null if the two cannot be compared (`latest`, a canary, a digest). */
export function compareTags(a: string | null, b: string | null): number | null {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  return left === null || right === null ? null : compareVersions(left, right)
}

export function isOfComponent(repository: string, { component }: DeclaredRelease): boolean {
  return repository === imageRepository(component)
}

/** Whether the fleet file says that this tag or digest contains the fix. */
export function isDeclaredToContain(reference: string, { contains }: DeclaredRelease): boolean {
  const { tag, digest } = parseImage(reference)
  return (contains ?? []).some((known) => known === tag || known === digest || known === reference)
}

/** The declared release is older than the one with the fix. */
export function isFixUnreleased(release: DeclaredRelease): boolean {
  const { declared, fixedIn, contains } = release
  if (declared === undefined || fixedIn === undefined) return false
  if ((contains ?? []).includes(declared)) return false
  const order = compareTags(declared, fixedIn)
  return order !== null && order < 0
}

export function isBehind(reference: string, release: DeclaredRelease): boolean {
  if (release.declared === undefined || isDeclaredToContain(reference, release)) return false
  const order = compareTags(parseImage(reference).tag, release.declared)
  return order !== null && order < 0
}
