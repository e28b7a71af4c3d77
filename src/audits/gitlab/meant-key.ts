import { didYouMean } from '#/core/basics/did-you-mean.ts'
import type { KnownKeys } from './key-shape.ts'
import { KNOWN_KEYS, REMOVED_KEYS } from './known-keys.ts'

export type MeantKey = {
  /** What to do. */
  readonly advice: string
  readonly meant: readonly string[]
}

/** Guesses the key that an unknown key was meant to be. */
export function meantKey(name: string, keys: KnownKeys): MeantKey {
  const removed = REMOVED_KEYS.get(name.toLowerCase())
  if (removed !== undefined) {
    return { advice: `use ${removed} instead: GitLab Runner 17 removed it`, meant: removed.split(' and ') }
  }
  const here = [...keys.values()].map((key) => key.name)
  const respelt = here.find((known) => bare(known) === bare(name))
  if (respelt !== undefined) return { advice: `did you mean ${respelt}?`, meant: [respelt] }
  const elsewhere = PLACES.get(bare(name)) ?? []
  if (elsewhere.length > 0) {
    return { advice: `it belongs to ${elsewhere.join(' or ')}: move it there`, meant: [] }
  }
  const meant = didYouMean(name, here)
  if (meant.length > 0) return { advice: `did you mean ${meant.join(' or ')}?`, meant }
  return {
    advice: 'remove it, or see the keys in https://docs.gitlab.com/runner/configuration/advanced-configuration/',
    meant,
  }
}

const MOST_PLACES = 2

/** `cpuLimit`, `cpu-limit` and `cpu_limit` count as equal. */
function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** The outermost tables that have a key. Names that many tables have are left out. */
const PLACES: ReadonlyMap<string, readonly string[]> = findPlaces()

function findPlaces(): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, { readonly depth: number; readonly wheres: string[] }>()
  const open: { readonly keys: KnownKeys; readonly path: readonly string[]; readonly where: string }[] = [
    { keys: KNOWN_KEYS, path: [], where: 'the top of the file, before any header' },
  ]
  // Level by level, so that the first place of a name is an outermost one.
  for (const { keys, path, where } of open) {
    for (const { name, shape } of keys.values()) {
      const known = places.get(bare(name))
      if (known === undefined) places.set(bare(name), { depth: path.length, wheres: [where] })
      else if (known.depth === path.length) known.wheres.push(where)
      if (shape.kind !== 'table' && shape.kind !== 'tables') continue
      const inner = [...path, name]
      const header = shape.kind === 'tables' ? `[[${inner.join('.')}]]` : `[${inner.join('.')}]`
      open.push({ keys: shape.keys, path: inner, where: header })
    }
  }
  return new Map(
    [...places].flatMap(([name, { wheres }]) => (wheres.length <= MOST_PLACES ? [[name, wheres] as const] : [])),
  )
}
