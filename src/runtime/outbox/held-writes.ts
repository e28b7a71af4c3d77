import type { DeathWrite } from '#/ports/pending-writings.ts'

/** Writes in memory whose callers wait until they are safe. */
export type HeldWrites = {
  readonly count: () => number
  /** Resolves when a retry made it safe. Null where memory has no room for it. */
  readonly hold: (writing: DeathWrite) => Promise<void> | null
  /** The oldest first, until one is not safe yet. An error is for its caller. */
  readonly retry: (keep: (writing: DeathWrite) => Promise<'safe' | 'later' | Error>) => Promise<void>
  /** Gives up all of them. */
  readonly abandon: (reason: (writing: DeathWrite) => Error) => void
}

type Held = {
  readonly writing: DeathWrite
  readonly done: () => void
  readonly failed: (error: Error) => void
}

/** The size of a row without its evidence. */
const ROW_BYTES = 2048

export function createHeldWrites(mostBytes: number): HeldWrites {
  const held: Held[] = []
  let bytes = 0
  const remove = (one: Held): void => {
    held.splice(held.indexOf(one), 1)
    bytes -= countBytes(one.writing)
  }
  return {
    count: () => held.length,
    hold: (writing) => {
      const size = countBytes(writing)
      if (bytes + size > mostBytes) return null
      bytes += size
      return new Promise((done, failed) => {
        held.push({ writing, done, failed })
      })
    },
    retry: async (keep) => {
      for (const one of held.slice()) {
        const outcome = await keep(one.writing)
        if (outcome === 'later') return
        remove(one)
        if (outcome === 'safe') one.done()
        else one.failed(outcome)
      }
    },
    abandon: (reason) => {
      for (const one of held.slice()) {
        remove(one)
        one.failed(reason(one.writing))
      }
    },
  }
}

function countBytes({ evidence }: DeathWrite): number {
  return evidence.reduce((sum, { content }) => sum + (content?.length ?? 0), ROW_BYTES)
}
