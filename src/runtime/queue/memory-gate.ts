import type { Clock } from '#/ports/clock.ts'

/** Bounds what is gathered and waits for its judgement: beyond that nothing more is gathered for a while. */
export type MemoryGate = {
  readonly hold: <T>(bytes: number, work: () => Promise<T>) => Promise<T>
  /** Resolves when there is room, or on the signal. */
  readonly room: (signal: AbortSignal) => Promise<void>
  readonly bytes: () => number
}

const LOOK_AGAIN_MS = 50

export function createMemoryGate(mostBytes: number, clock: Clock): MemoryGate {
  let held = 0
  const isFull = (): boolean => held > mostBytes
  return {
    hold: async (bytes, work) => {
      held += bytes
      try {
        return await work()
      } finally {
        held -= bytes
      }
    },
    room: async (signal) => {
      while (isFull() && !signal.aborted) await clock.sleep(LOOK_AGAIN_MS, signal)
    },
    bytes: () => held,
  }
}
