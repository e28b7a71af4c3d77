import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'

/** Work that is done again and again until its signal. */
export type Loop = {
  readonly name: string
  /** The pause after a run, whether it failed or not. */
  readonly everyMs: number
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** The term that a leader loop serves. Every write that only the leader may make names its epoch, and is fenced after it. */
export type ServedTerm = {
  /** Asked for at each write and never kept: a loop that goes on without the store is handed over to the next term. */
  readonly epoch: () => number
}

/** Run by one replica at a time. */
export type LeaderLoop = Omit<Loop, 'run'> & {
  readonly run: (signal: AbortSignal, term: ServedTerm) => Promise<void>
  /**
   * It is not stopped where the store is unreachable. For work that is lost if nobody does it, that does no
   * harm if two do it for a while, and that keeps its results elsewhere until the store is back.
   */
  readonly goesOnWithoutStore?: true
}

export type LoopMeans = { readonly clock: Clock; readonly log: Log; readonly metrics: Metrics }

/** Runs the loop until the signal. A run that throws is counted and logged, and the next one follows. */
export async function repeat(loop: Loop, { clock, log, metrics }: LoopMeans, signal: AbortSignal): Promise<void> {
  const failures = metrics.counter('signalbox_loop_failures_total', 'Runs of a loop that ended in a fault.')
  failures.add(0, { loop: loop.name })
  while (!signal.aborted) {
    try {
      await loop.run(signal)
    } catch (error) {
      failures.add(1, { loop: loop.name })
      log.error('loop failed, will retry', {
        loop: loop.name,
        why: error instanceof Error ? error.message : String(error),
      })
    }
    await clock.sleep(loop.everyMs, signal)
  }
}

export type RunningLoops = {
  readonly isStopping: () => boolean
  /** Resolves when what is in the middle of something has ended. */
  readonly stop: () => Promise<void>
}

/** Until they are stopped, or until the signal. */
export function startLoops(loops: readonly Loop[], means: LoopMeans, signal: AbortSignal): RunningLoops {
  const over = new AbortController()
  const both = AbortSignal.any([signal, over.signal])
  const ended = Promise.all(loops.map((loop) => repeat(loop, means, both)))
  const stop = async (): Promise<void> => {
    over.abort()
    await ended
  }
  return { isStopping: () => both.aborted, stop }
}
