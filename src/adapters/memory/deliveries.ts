import { MAX_DELIVERY_BYTES } from '#/ports/store/deliveries.ts'
import type { Deliveries, Delivery } from '#/ports/store/deliveries.ts'
import { byText } from './tables.ts'
import type { Tables } from './tables.ts'

export function memoryDeliveries({ deliveries }: Tables): Deliveries {
  return {
    record: async (delivery) => {
      if (Buffer.byteLength(delivery.body) > MAX_DELIVERY_BYTES) return 'too-large'
      if (deliveries.has(delivery.guid)) return 'repeated'
      deliveries.set(delivery.guid, { delivery, settled: false })
      return 'new'
    },
    pending: async (limit) =>
      [...deliveries.values()]
        .filter(({ settled }) => !settled)
        .map(({ delivery }) => delivery)
        .sort(byReceipt)
        .slice(0, limit),
    settle: async (guid) => {
      const stored = deliveries.get(guid)
      if (stored !== undefined) deliveries.set(guid, { ...stored, settled: true })
    },
  }
}

function byReceipt(a: Delivery, b: Delivery): number {
  return a.receivedAt - b.receivedAt || byText(a.guid, b.guid)
}
