import type { Deliveries, Delivery, RecordedDelivery } from '#/ports/store/deliveries.ts'

type Waiting = {
  readonly delivery: Delivery
  readonly bytes: number
  readonly answered: PromiseWithResolvers<RecordedDelivery>
}

const MOST_TOGETHER = 64
const MOST_BYTES = 4 * 1024 * 1024
/** Writes that are under way: one waits for the disk while the other is on its way. */
const WRITES = 2

/**
 * Deliveries that come while others are being written are written together: a commit costs the database more than a
 * row. One that comes alone waits for nothing. Each answer is given after the commit of its own delivery.
 */
export function storeTogether(deliveries: Pick<Deliveries, 'recordAll'>): Pick<Deliveries, 'record'>['record'] {
  let waiting: Waiting[] = []
  let underWay = 0

  const next = (): readonly Waiting[] => {
    const batch = new Map<string, Waiting>()
    const left: Waiting[] = []
    let bytes = 0
    for (const one of waiting) {
      const isFull = batch.size >= MOST_TOGETHER || (batch.size > 0 && bytes + one.bytes > MOST_BYTES)
      if (isFull || batch.has(one.delivery.guid)) {
        left.push(one)
        continue
      }
      batch.set(one.delivery.guid, one)
      bytes += one.bytes
    }
    waiting = left
    return [...batch.values()]
  }

  const write = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const recorded = await deliveries.recordAll(batch.map(({ delivery }) => delivery))
      for (const [index, { answered }] of batch.entries()) answered.resolve(recorded[index] ?? 'repeated')
    } catch (error) {
      for (const { answered } of batch) answered.reject(error)
    }
  }

  const lane = async (): Promise<void> => {
    underWay += 1
    for (let batch = next(); batch.length > 0; batch = next()) await write(batch)
    underWay -= 1
  }

  return async (delivery) => {
    const one: Waiting = {
      delivery,
      bytes: Buffer.byteLength(delivery.body),
      answered: Promise.withResolvers<RecordedDelivery>(),
    }
    waiting.push(one)
    if (underWay < WRITES) void lane()
    return await one.answered.promise
  }
}
