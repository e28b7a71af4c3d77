import type { BlindReason } from '#/core/basics/observed.ts'
import type { JournalBoot, JournalDigest } from '#/ports/journal.ts'

/** More boots than a journal keeps; a file that names more is no journal, and must not fill the memory. */
const MAX_BOOTS = 10_000

/** Counts lines and remembers their times, whatever becomes of the lines. */
export type Digest = {
  readonly add: (at: number, bootId: string | null) => void
  readonly gaps: () => readonly BlindReason[]
  readonly result: () => JournalDigest
}

export function createDigest(): Digest {
  const boots = new Map<string, { from: number; to: number }>()
  let lines = 0
  let from = Infinity
  let to = -Infinity
  let hasTooManyBoots = false

  const addBoot = (id: string, at: number): void => {
    const known = boots.get(id)
    if (known !== undefined) {
      known.from = Math.min(known.from, at)
      known.to = Math.max(known.to, at)
    } else if (boots.size < MAX_BOOTS) boots.set(id, { from: at, to: at })
    else hasTooManyBoots = true
  }

  return {
    add: (at, bootId) => {
      lines += 1
      from = Math.min(from, at)
      to = Math.max(to, at)
      if (bootId !== null) addBoot(bootId, at)
    },
    gaps: () => (hasTooManyBoots ? [{ code: 'malformed', detail: `the lines name more than ${MAX_BOOTS} boots` }] : []),
    result: () => ({
      lines,
      from: lines === 0 ? null : from,
      to: lines === 0 ? null : to,
      boots: Array.from(boots, ([id, { from: first, to: last }]): JournalBoot => ({ id, from: first, to: last })),
    }),
  }
}
