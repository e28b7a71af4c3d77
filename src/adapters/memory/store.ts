import { onStorable } from '#/adapters/storable/storable.ts'
import type { Store } from '#/ports/store/store.ts'
import { memoryAssignments } from './assignments.ts'
import { memoryBreakers } from './breakers.ts'
import { memoryDeliveries } from './deliveries.ts'
import { memoryFindings } from './findings.ts'
import { memoryLedger } from './ledger.ts'
import { memoryNotices } from './notices.ts'
import { memoryDeaths } from './deaths.ts'
import { memoryRetention } from './retention.ts'
import { memoryLivePods } from './live-pods.ts'
import { Tables } from './tables.ts'

/** The store for simulation: no timers, no IO, every call is done when it returns, so that a seed decides everything. */
export function memoryStore(): Store {
  const tables = new Tables()
  return {
    assignments: onStorable(memoryAssignments(tables)),
    deliveries: onStorable(memoryDeliveries(tables)),
    deaths: onStorable(memoryDeaths(tables)),
    livePods: onStorable(memoryLivePods(tables)),
    notices: onStorable(memoryNotices(tables)),
    ledger: onStorable(memoryLedger(tables)),
    findings: onStorable(memoryFindings(tables)),
    breakers: onStorable(memoryBreakers(tables)),
    retention: memoryRetention(tables),
    wakeups: {
      listen: async (onWake) => {
        const listener = { onWake }
        tables.listeners.add(listener)
        return { stop: async () => void tables.listeners.delete(listener) }
      },
    },
  }
}
