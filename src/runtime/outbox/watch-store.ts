import type { Clock } from '#/ports/clock.ts'
import type { Log, LogFields } from '#/ports/log.ts'
import type { DeathWrite } from '#/ports/pending-writings.ts'
import type { Deaths } from '#/ports/store/deaths.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'

type Outcome = 'stored' | 'refused' | 'later'
type Attempt = (writing: DeathWrite) => Promise<Outcome>

/** The store as the outbox uses it. A write that it rejects would be rejected again; while it is away, a write is retried. */
export type WatchedStore = {
  readonly attempt: Attempt
  /** A store that is slow may still take it; it then gets it twice, which changes nothing. */
  readonly attemptQuickly: Attempt
  /** Of what waited in the spool. */
  readonly handOver: Attempt
  /** Nothing waits any more. */
  readonly back: () => void
}

export type WatchedStoreOptions = {
  readonly deaths: Pick<Deaths, 'record'>
  readonly log: Log
  readonly clock: Clock
  /** All that waited is stored, also what a process before this one left. */
  readonly cleared?: () => void
}

/** A store that takes longer gets the write from the spool. */
const QUICK_MS = 1000

/** One line when the store goes away and one when it has everything: there may be thousands of deaths in between. */
export function watchStore({ deaths, log, clock, cleared }: WatchedStoreOptions): WatchedStore {
  let isAway = false
  let handedOver = 0
  const away = (writing: DeathWrite, why: string): Outcome => {
    if (!isAway) {
      log.warn('store unavailable: deaths go to the spool and will be retried', { ...logFields(writing), why })
    }
    isAway = true
    return 'later'
  }
  const attempt: Attempt = async (writing) => {
    try {
      await deaths.record(writing.postmortem, writing.evidence)
      return 'stored'
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (error instanceof StoreUnavailable) return away(writing, why)
      log.error('store rejected a death', { ...logFields(writing), why })
      return 'refused'
    }
  }
  return {
    attempt,
    attemptQuickly: async (writing) => {
      const answered = new AbortController()
      const late = clock.sleep(QUICK_MS, answered.signal).then(() => 'late' as const)
      const outcome = await Promise.race([attempt(writing), late])
      answered.abort()
      return outcome === 'late' ? away(writing, `no answer within ${QUICK_MS} ms`) : outcome
    },
    handOver: async (writing) => {
      const outcome = await attempt(writing)
      if (outcome === 'stored') handedOver += 1
      return outcome
    },
    back: () => {
      isAway = false
      if (handedOver === 0) return
      log.info('all deaths of the spool are stored', { writes: handedOver })
      handedOver = 0
      cleared?.()
    },
  }
}

export function logFields({ postmortem: { namespace, pod, uid } }: DeathWrite): LogFields {
  return { pod: `${namespace}/${pod}`, uid }
}
