import { backoffMs } from '#/core/basics/backoff.ts'
import type { Log } from '#/ports/log.ts'
import type { PendingWrites, DeathWrite } from '#/ports/pending-writings.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import { createHeldWrites } from './held-writes.ts'
import { outboxMetrics } from './outbox-metrics.ts'
import { logFields, watchStore } from './watch-store.ts'
import type { WatchedStoreOptions } from './watch-store.ts'

/**
 * What waits to be stored. A write goes to the store where it answers quickly, otherwise to the spool on disk. Where the
 * disk is full too, its caller waits, so that nothing is reported that a crash would lose.
 */
export type Outbox = {
  /** Resolves when the write is stored, or synced to disk. Rejects where neither is possible and memory has no room. */
  readonly put: (writing: DeathWrite) => Promise<void>
  /** What waits on disk of one death, the oldest first. Ask before the store. */
  readonly find: (uid: string) => Promise<readonly DeathWrite[]>
  /** Nothing waits: everything that was put is in the store, also by a process before us. */
  readonly isClear: () => boolean
  /** Retries what waits until the signal. */
  readonly run: (signal: AbortSignal) => Promise<void>
  /** Writes in memory that neither the store nor the disk could take. */
  readonly waiting: () => number
  readonly condition: () => Promise<OutboxCondition>
}

/** For readiness: `full` means that deaths are neither stored nor reported. */
export type OutboxCondition = { readonly kind: 'ok' } | { readonly kind: 'nearly-full' | 'full'; readonly why: string }

export type OutboxOptions = WatchedStoreOptions & {
  readonly spool: PendingWrites
  readonly metrics: Metrics
  /** Of the evidence that waits in memory. */
  readonly mostBytes: number
}

const RETRY = { firstMs: 500, mostMs: 2000 }
/** Less room than this is reported before the disk is full. */
const NEARLY_FULL_BYTES = 64 * 1024 * 1024

export function createOutbox(options: OutboxOptions): Outbox {
  const { clock, log, spool } = options
  const held = createHeldWrites(options.mostBytes)
  const report = outboxMetrics(options.metrics)
  const store = watchStore(options)
  let isSlow = false
  let isOver = false
  /** Until then nobody knows what a process before us left. */
  let isRead = false
  const hold = async (writing: DeathWrite, why: string): Promise<void> => {
    const isFirst = held.count() === 0
    const holding = isOver ? null : held.hold(writing)
    if (holding === null) throw new Error(`no room for a death: the store is unavailable, and the spool: ${why}`)
    if (isFirst) log.error('deaths wait in memory: store unavailable, spool full', { why })
    await holding
  }
  const keep = async (writing: DeathWrite): Promise<'safe' | 'later' | Error> => {
    const outcome = await store.attempt(writing)
    if (outcome === 'refused') return REJECTED
    return outcome === 'stored' || (await spool.add(writing)) === 'kept' ? 'safe' : 'later'
  }
  const drain = async (signal: AbortSignal): Promise<boolean> => {
    await held.retry(keep)
    if ((await spool.drain(store.handOver, signal)) === 'stopped') return false
    isRead = true
    isSlow = false
    store.back()
    return held.count() === 0
  }
  const isEmpty = (): boolean => !isSlow && held.count() === 0 && spool.state().waiting === 0
  return {
    find: spool.find,
    isClear: () => isRead && isEmpty(),
    put: async (writing) => {
      if (isEmpty()) {
        const outcome = await store.attemptQuickly(writing)
        if (outcome === 'stored') return
        if (outcome === 'refused') throw REJECTED
        isSlow = true
      }
      const kept = await spool.add(writing)
      if (kept !== 'kept') await hold(writing, kept.why)
    },
    run: async (signal) => {
      isOver = false
      await spool.probe()
      for (let failures = 0; !signal.aborted;) {
        failures = (await drain(signal)) ? 0 : failures + 1
        if (spool.state().fault !== null) await spool.probe()
        report({ ...spool.state(), freeBytes: await spool.freeBytes(), held: held.count(), now: clock.now() })
        await clock.sleep(backoffMs(RETRY, Math.max(0, failures - 1)), signal)
      }
      isOver = true
      await held.retry(keep)
      held.abandon((writing) => giveUp(log, writing))
    },
    waiting: held.count,
    condition: () => judgeCondition(spool, held.count()),
  }
}

function giveUp(log: Log, writing: DeathWrite): Error {
  log.error('death not recorded: stopped while store and spool could not take it', logFields(writing))
  return new Error('stopped while neither the store nor the spool could take it')
}

const REJECTED = new Error('the store rejected the death')

async function judgeCondition(spool: PendingWrites, held: number): Promise<OutboxCondition> {
  const { fault, waiting } = spool.state()
  if (held > 0) return { kind: 'full', why: `${held} deaths are in memory only, unreported: ${fault ?? 'no room'}` }
  if (fault !== null) return { kind: 'full', why: fault }
  const free = await spool.freeBytes()
  if (free >= NEARLY_FULL_BYTES) return { kind: 'ok' }
  return { kind: 'nearly-full', why: `${free} bytes are left for deaths, ${waiting} wait for the database` }
}
