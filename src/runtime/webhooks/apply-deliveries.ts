import { backoffMs } from '#/core/basics/backoff.ts'
import type { DeliveryOutcome } from '#/core/webhooks/outcome.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { Deliveries, TakenDelivery } from '#/ports/store/deliveries.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Loop } from '#/runtime/lead/loop.ts'
import { applyDelivery } from './apply-delivery.ts'
import type { Applied, DeliveryFacts } from './apply-delivery.ts'

export type WorkerMeans = DeliveryFacts & {
  readonly deliveries: Pick<Deliveries, 'take' | 'postpone' | 'settle'>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn' | 'error'>
  /** Called once for each delivery that got its outcome. */
  readonly settled: (outcome: DeliveryOutcome) => void
}

export type DeliveryWorker = {
  /** There may be a new delivery. */
  readonly wake: () => void
  readonly loop: Loop
  /** Applies what is due until nothing is; answers how many were taken. */
  readonly applyDue: (signal?: AbortSignal) => Promise<number>
}

/** What another replica stored and did not apply, and what is due again, is found by looking. */
const LOOK_EVERY_MS = 1000
const AGAIN_AFTER_FAULT_MS = 1000
/** At most so many jobs move at once; the others wait for their turn, so that the intake keeps its connections. */
const AT_ONCE = 4
/** Bodies are held in memory. */
const TAKEN_AT_ONCE = 16
/** Longer than a statement may take: what was taken and not settled by then is left over from a crash, or is applied twice, which changes nothing. */
const TAKEN_FOR_MS = 15_000
const RETRY = { firstMs: 1000, mostMs: 60_000 }
export const MOST_ATTEMPTS = 10
/** Attempts that end with the process leave no reason behind. */
const MOST_CRASHES = 2 * MOST_ATTEMPTS
const PAUSE_MS = 1000

/**
 * Every replica applies: what it has received, at once, and what it finds. A delivery belongs to the replica that took it,
 * and of each job only the oldest is taken, so no leader is needed for the order, and none has to be found first.
 */
export function createDeliveryWorker(means: WorkerMeans): DeliveryWorker {
  const { clock } = means
  let woken = Promise.withResolvers<void>()
  const applyDue = async (signal?: AbortSignal): Promise<number> => {
    let sum = 0
    for (;;) {
      const at = clock.now()
      const taken = await means.deliveries.take({ at, until: at + TAKEN_FOR_MS, limit: TAKEN_AT_ONCE })
      await inLanes(taken, async (delivery) => await settleOne(delivery, means))
      sum += taken.length
      if (taken.length === 0 || signal?.aborted === true) return sum
    }
  }
  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      // Replaced before looking, so that a delivery that is stored while we look is looked for again.
      woken = Promise.withResolvers()
      await applyDue(signal)
      const pause = new AbortController()
      await Promise.race([woken.promise, clock.sleep(LOOK_EVERY_MS, AbortSignal.any([signal, pause.signal]))])
      pause.abort()
    }
  }
  return {
    wake: () => woken.resolve(),
    loop: { name: 'webhooks', everyMs: AGAIN_AFTER_FAULT_MS, run },
    applyDue,
  }
}

async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function settleOne(delivery: TakenDelivery, means: WorkerMeans): Promise<void> {
  const applied = await attempt(delivery, means)
  const { deliveries, clock, log } = means
  const { guid, attempts } = delivery
  const at = clock.now()
  if (applied.kind === 'settled') {
    if (!(await deliveries.settle(guid, { at, outcome: applied.outcome, why: applied.why }))) return
    means.settled(applied.outcome)
    if (applied.outcome === 'parked') log.warn('a webhook is parked', { delivery: guid, why: applied.why ?? '' })
    return
  }
  const counts = applied.kind === 'failed'
  const next = at + (counts ? backoffMs(RETRY, attempts - 1) : PAUSE_MS)
  await deliveries.postpone(guid, { attempt: attempts, at: next, why: applied.why, counts })
}

async function attempt(
  delivery: TakenDelivery,
  means: WorkerMeans,
): Promise<Applied | { readonly kind: 'failed'; readonly why: string }> {
  const { guid, attempts } = delivery
  if (attempts > MOST_CRASHES) return parked(`${attempts - 1} attempts did not end`)
  try {
    return await applyDelivery(delivery, means)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (error instanceof StoreUnavailable) return { kind: 'later', why }
    means.log.error('a webhook could not be applied', { delivery: guid, attempt: attempts, why })
    return attempts >= MOST_ATTEMPTS ? parked(`${attempts} attempts failed: ${why}`) : { kind: 'failed', why }
  }
}

function parked(why: string): Applied {
  return { kind: 'settled', outcome: 'parked', why }
}
