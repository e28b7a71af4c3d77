import { hasEnded, isFinished, nextDeath } from '#/core/recorder/lifecycle.ts'
import type { DeathEvent, DeathPhase, DeathState } from '#/core/recorder/lifecycle.ts'

/** The state of each death that this process knows. Nothing else in the recorder remembers how far a death has come. */
export type DeathStates = {
  readonly get: (uid: string) => DeathPhase | null
  /** The phase after the event; null where the event changes nothing, or leaves nothing to remember. */
  readonly apply: (uid: string, event: DeathEvent) => DeathPhase | null
  /** Open deaths by state. */
  readonly counts: () => ReadonlyMap<DeathState, number>
  /** Pods that ended: those that are not finished, and how many this process has finished. */
  readonly totals: () => { readonly open: number; readonly finished: number }
}

/** Finished deaths are remembered so that a late watch event does not record them twice. */
const MOST_FINISHED = 200_000

export function createDeathStates(mostFinished = MOST_FINISHED): DeathStates {
  const open = new Map<string, DeathPhase>()
  const finished = new Map<string, DeathPhase>()
  let finishedCount = 0
  const get = (uid: string): DeathPhase | null => open.get(uid) ?? finished.get(uid) ?? null
  const finish = (uid: string, phase: DeathPhase): void => {
    open.delete(uid)
    finishedCount += 1
    finished.set(uid, phase)
    const [oldest] = finished.keys()
    if (finished.size > mostFinished && oldest !== undefined) finished.delete(oldest)
  }
  return {
    get,
    apply: (uid, event) => {
      const next = nextDeath(get(uid), event)
      if (next === 'ignore') return null
      if (next === 'forget') {
        open.delete(uid)
        return null
      }
      if (isFinished(next)) finish(uid, next)
      else open.set(uid, next)
      return next
    },
    counts: () => {
      const counts = new Map<DeathState, number>()
      for (const { state } of open.values()) counts.set(state, (counts.get(state) ?? 0) + 1)
      return counts
    },
    totals: () => ({ open: open.values().filter(hasEnded).toArray().length, finished: finishedCount }),
  }
}
