import type { DeclaredRelease } from '#/core/fleet-file/fleet-file.ts'
import { UNRELEASED } from '#/core/fleet-file/fleet-file.ts'
import { imageRepository, parseImage } from '#/core/kubernetes/image-name.ts'
import { compareTags } from '#/core/kubernetes/tag-version.ts'

export type Order = 'older' | 'not-older' | 'unknown'

function toOrder(difference: number | null): Order {
  if (difference === null) return 'unknown'
  return difference < 0 ? 'older' : 'not-older'
}

export function isOfComponent(repository: string, { component }: DeclaredRelease): boolean {
  return repository === imageRepository(component)
}

/** Whether the fleet file says that this tag or digest contains the fix. */
export function isDeclaredToContain(reference: string, { contains }: DeclaredRelease): boolean {
  const { tag, digest } = parseImage(reference)
  return (contains ?? []).some((known) => known === tag || known === digest || known === reference)
}

/** The declared release against the one with the fix. */
export function compareWithFix({ declared, fixedIn, contains }: DeclaredRelease): Order {
  if (declared === undefined || fixedIn === undefined || (contains ?? []).includes(declared)) return 'not-older'
  // Every release is older than one that does not exist.
  return fixedIn === UNRELEASED ? 'older' : toOrder(compareTags(declared, fixedIn))
}

/** What runs against what is declared: a tag, a digest, or both. */
export function compareWithDeclared(reference: string, release: DeclaredRelease): Order {
  const { declared } = release
  if (declared === undefined || isDeclaredToContain(reference, release)) return 'not-older'
  const running = parseImage(reference)
  const wanted = parseDeclared(declared)
  if (running.digest !== null && running.digest === wanted.digest) return 'not-older'
  return toOrder(compareTags(running.tag, wanted.tag))
}

function parseDeclared(declared: string): { readonly tag: string | null; readonly digest: string | null } {
  if (/^sha\d+:/.test(declared)) return { tag: null, digest: declared }
  const [tag = '', digest = null] = declared.split('@')
  return { tag, digest }
}
