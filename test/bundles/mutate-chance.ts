/** Randomness that a seed repeats. */
export type Chance = {
  /** From 0 up to and without `below`. */
  readonly int: (below: number) => number
  readonly pick: <T>(items: readonly T[]) => T
  readonly isOneIn: (count: number) => boolean
}

/** mulberry32: small, and good enough to choose places and values. */
export function seedChance(seed: number): Chance {
  let state = Math.imul(seed, 0x9e37_79b1) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number): number => Math.floor(next() * below)
  return {
    int,
    pick: <T>(items: readonly T[]): T => {
      const item = items[int(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    isOneIn: (count) => int(count) === 0,
  }
}
