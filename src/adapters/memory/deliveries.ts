import { OPEN_OUTCOMES } from '#/core/webhooks/outcome.ts'
import { MAX_DELIVERY_BYTES } from '#/ports/store/deliveries.ts'
import type { Deliveries, Delivery, DeliveryFilter, DeliveryRow } from '#/ports/store/deliveries.ts'
import { byText } from './tables.ts'
import type { StoredDelivery, Tables } from './tables.ts'

export function memoryDeliveries({ deliveries }: Tables): Deliveries {
  const put = (stored: StoredDelivery): unknown => deliveries.set(stored.delivery.guid, stored)
  const pending = (): readonly StoredDelivery[] =>
    [...deliveries.values()].filter(({ settled }) => settled === null).sort((a, b) => byReceipt(a.delivery, b.delivery))
  return {
    record: async (delivery) => {
      if (Buffer.byteLength(delivery.body) > MAX_DELIVERY_BYTES) return 'too-large'
      const known = deliveries.get(delivery.guid)
      if (known === undefined) {
        put(asNew(delivery))
        return 'new'
      }
      if (known.settled === null || !OPEN_OUTCOMES.includes(known.settled.outcome)) return 'repeated'
      put(asNew(known.delivery))
      return 'again'
    },
    pending: async (limit) =>
      pending()
        .map(({ delivery }) => delivery)
        .slice(0, limit),
    take: async ({ at, until, limit }) => {
      const due = firstOfEachJob(pending()).filter(({ nextAttemptAt }) => nextAttemptAt <= at)
      const taken = due.slice(0, limit)
      for (const stored of taken) put({ ...stored, attempts: stored.attempts + 1, nextAttemptAt: until })
      return taken.map(({ delivery, attempts }) => Object.assign({ attempts: attempts + 1 }, delivery))
    },
    postpone: async (guid, { attempt, at, counts }) => {
      const stored = deliveries.get(guid)
      if (stored === undefined || stored.settled !== null || stored.attempts !== attempt) return
      put({ ...stored, nextAttemptAt: at, attempts: counts ? attempt : attempt - 1 })
    },
    settle: async (guid, { at, outcome, why }) => {
      const stored = deliveries.get(guid)
      if (stored === undefined || stored.settled !== null) return false
      put({ ...stored, settled: { settledAt: at, outcome, why } })
      return true
    },
    reopen: async ({ receivedSince, ...filter }) => {
      const among = [...deliveries.values()].filter(({ delivery }) => delivery.receivedAt >= receivedSince)
      const guids = new Set(settledRows(among, filter).map(({ guid }) => guid))
      for (const { delivery } of among) if (guids.has(delivery.guid)) put(asNew(delivery))
      return guids.size
    },
    list: async (filter) => settledRows([...deliveries.values()], filter),
  }
}

function settledRows(among: readonly StoredDelivery[], { outcomes, limit }: DeliveryFilter): readonly DeliveryRow[] {
  return among
    .flatMap(({ delivery, attempts, settled }) => {
      if (settled === null || !outcomes.includes(settled.outcome)) return []
      const { guid, event, receivedAt, job, repository } = delivery
      return [{ guid, event, receivedAt, job, repository, attempts, ...settled }]
    })
    .sort((a, b) => byReceipt(b, a))
    .slice(0, limit)
}

function asNew(delivery: Delivery): StoredDelivery {
  return { delivery, attempts: 0, nextAttemptAt: 0, settled: null }
}

function firstOfEachJob(sorted: readonly StoredDelivery[]): readonly StoredDelivery[] {
  const jobs = new Set<number>()
  return sorted.filter(({ delivery: { job } }) => {
    if (job === null) return true
    const isFirst = !jobs.has(job)
    jobs.add(job)
    return isFirst
  })
}

function byReceipt(a: Pick<Delivery, 'receivedAt' | 'guid'>, b: Pick<Delivery, 'receivedAt' | 'guid'>): number {
  return a.receivedAt - b.receivedAt || byText(a.guid, b.guid)
}
