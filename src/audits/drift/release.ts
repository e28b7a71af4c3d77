import { compareVersions, parseVersion } from '#/core/fleet/arc-version.ts'
import type { DeclaredRelease } from '#/core/fleet-file/fleet-file.ts'
import { imageRepository, parseImage } from '#/core/kubernetes/image-name.ts'

/** Below 0: `a` is older. Null where the two do not compare (`latest`, a canary, a digest). */
export function compareTags(a: string | null, b: string | null): number | null {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  return left === null || right === null ? null : compareVersions(left, right)
}

export function isOfComponent(repository: string, { component }: DeclaredRelease): boolean {
  return repository === imageRepository(component)
}

/** Whether somebody said of this very tag or digest that it holds the fix. */
export function isSaidToContain(reference: string, { contains }: DeclaredRelease): boolean {
  const { tag, digest } = parseImage(reference)
  return (contains ?? []).some((known) => known === tag || known === digest || known === reference)
}

/** What is declared is older than what holds the fix. */
export function isFixUnreleased(release: DeclaredRelease): boolean {
  const { declared, fixedIn, contains } = release
  if (declared === undefined || fixedIn === undefined) return false
  if ((contains ?? []).includes(declared)) return false
  const order = compareTags(declared, fixedIn)
  return order !== null && order < 0
}

export function isBehind(reference: string, release: DeclaredRelease): boolean {
  if (release.declared === undefined || isSaidToContain(reference, release)) return false
  const order = compareTags(parseImage(reference).tag, release.declared)
  return order !== null && order < 0
}
