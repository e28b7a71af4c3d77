/** Everything that GitHub makes up (ids, GUIDs, tokens, order), from one seed: the same calls give the same history. */
export type Seeded = {
  /** In [0, 1). */
  readonly fraction: () => number
  readonly hex: (length: number) => string
  readonly guid: () => string
  /** Rises, unique over all kinds of things, as GitHub's ids are unique within their kind. */
  readonly id: () => number
  readonly shuffled: <T>(rows: readonly T[]) => readonly T[]
}

const FIRST_ID = 1_000

export function createSeeded(seed: number): Seeded {
  let state = seed >>> 0
  let lastId = FIRST_ID

  /** mulberry32: small, well spread, and the same on every machine. */
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const hex = (length: number): string =>
    Array.from({ length }, () => Math.floor(fraction() * 16).toString(16)).join('')

  return {
    fraction,
    hex,
    guid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    id: () => (lastId += 1),
    shuffled: (rows) => {
      const keyed = rows.map((row) => ({ row, key: fraction() }))
      return keyed.toSorted((a, b) => a.key - b.key).map(({ row }) => row)
    },
  }
}
