/** What a key of GitLab Runner's config.toml may hold. */
export type KeyShape =
  | { readonly kind: 'value'; readonly holds: Held }
  /** Its keys are free, for example the labels of a pod. */
  | { readonly kind: 'map'; readonly holds: Held }
  | { readonly kind: 'table'; readonly keys: KnownKeys }
  /** `[[…]]` */
  | { readonly kind: 'tables'; readonly keys: KnownKeys }

export type Held = 'text' | 'whole number' | 'number' | 'flag' | 'texts' | 'any'

/** By name; the runner's decoder ignores case. */
export type KnownKeys = ReadonlyMap<string, KnownKey>
export type KnownKey = { readonly name: string; readonly shape: KeyShape }

export function findKey(keys: KnownKeys, name: string): KnownKey | null {
  return keys.get(name.toLowerCase()) ?? null
}

type Named = Readonly<Record<string, KeyShape>>

export function buildKeys(...groups: readonly Named[]): KnownKeys {
  return new Map(
    groups.flatMap((group) =>
      Object.entries(group).map(([name, shape]) => [name.toLowerCase(), { name, shape }] as const),
    ),
  )
}

/** Names separated by white space that all hold the same type. */
export function all(holds: Held, names: string): Named {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, { kind: 'value', holds } as const]),
  )
}

export function maps(holds: Held, names: string): Named {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, { kind: 'map', holds } as const]),
  )
}

export function table(...groups: readonly Named[]): KeyShape {
  return { kind: 'table', keys: buildKeys(...groups) }
}

export function tables(...groups: readonly Named[]): KeyShape {
  return { kind: 'tables', keys: buildKeys(...groups) }
}
