import type { PullSecret } from './pull-secret.ts'
import { covers, registryName } from './registry-key.ts'

export type CopyJudgement =
  | {
      readonly kind: 'same'
      readonly registries: readonly string[]
      /** Registries in which they differ but which serve no image of the fleet. */
      readonly aside: readonly string[]
    }
  | { readonly kind: 'different'; readonly registries: readonly string[] }
  | { readonly kind: 'unknown'; readonly why: string }

/** Whether a copy serves the images of the fleet like the original does. An empty set of images means all. */
export function compareCopies(
  original: PullSecret,
  copy: PullSecret,
  repositories: ReadonlySet<string>,
): CopyJudgement {
  const [a, b] = [byRegistry(original), byRegistry(copy)]
  if (a === null || b === null) return compareSealed(original, copy)
  const all = [...new Set([...a.keys(), ...b.keys()])].toSorted()
  const differing = all.filter((registry) => !isSame(a.get(registry), b.get(registry)))
  const serving = all.filter((registry) => isServing(registry, repositories))
  // If no credential serves an image of the fleet, all of them count.
  const counting = serving.length === 0 ? differing : differingFor({ a, b, serving, repositories })
  if (counting.length > 0) return { kind: 'different', registries: counting }
  return { kind: 'same', registries: serving.length === 0 ? all : serving, aside: differing.filter(isNew(serving)) }
}

type Credentials = ReadonlyMap<string, ReadonlySet<string>>

function byRegistry({ content }: PullSecret): Credentials | null {
  if (content.kind !== 'registries') return null
  const found = new Map<string, Set<string>>()
  for (const [key, digests] of content.credentials) {
    const known = found.get(registryName(key)) ?? new Set()
    for (const digest of digests) known.add(digest)
    found.set(registryName(key), known)
  }
  return found
}

/** Compares what the kubelet would try for each image: `ghcr.io` and `ghcr.io/acme` may both serve it. */
function differingFor(given: {
  readonly a: Credentials
  readonly b: Credentials
  readonly serving: readonly string[]
  readonly repositories: ReadonlySet<string>
}): readonly string[] {
  const tried = (credentials: Credentials, repository: string): ReadonlySet<string> => {
    const fitting = new Set<string>()
    for (const [registry, digests] of credentials) {
      if (covers(registry, repository)) for (const digest of digests) fitting.add(digest)
    }
    return fitting
  }
  const unequal = [...given.repositories].filter(
    (repository) => !isSame(tried(given.a, repository), tried(given.b, repository)),
  )
  return given.serving.filter(
    (registry) =>
      !isSame(given.a.get(registry), given.b.get(registry)) &&
      unequal.some((repository) => covers(registry, repository)),
  )
}

function isServing(registry: string, repositories: ReadonlySet<string>): boolean {
  for (const repository of repositories) if (covers(registry, repository)) return true
  return false
}

function isNew(known: readonly string[]): (registry: string) => boolean {
  return (registry) => !known.includes(registry)
}

function isSame(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  return a !== undefined && b !== undefined && a.size === b.size && a.isSubsetOf(b)
}

function compareSealed({ content: a }: PullSecret, { content: b }: PullSecret): CopyJudgement {
  if (a.kind === 'sealed' && b.kind === 'sealed' && a.digest === b.digest) {
    return { kind: 'same', registries: [], aside: [] }
  }
  return { kind: 'unknown', why: 'of one of them only the digest of the whole document is known' }
}
