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
import { memoryTokens } from './tokens.ts'
import { Tables } from './tables.ts'

/** The store for simulation: no timers, no IO, every call is done when it returns, so that a seed decides everything. */
export function memoryStore(): Store {
  return openMemoryStore().store
}

/** With the lease: `lead` gives it to the next leader and returns the epoch. */
export function openMemoryStore(): { readonly store: Store; readonly lead: () => Promise<number> } {
  const tables = new Tables()
  const lead = async (): Promise<number> => {
    tables.leaderEpoch = (tables.leaderEpoch ?? 0) + 1
    return tables.leaderEpoch
  }
  return { store: storeOn(tables), lead }
}

function storeOn(tables: Tables): Store {
  return {
    assignments: onStorable(memoryAssignments(tables)),
    deliveries: onStorable(memoryDeliveries(tables)),
    deaths: onStorable(memoryDeaths(tables)),
    livePods: onStorable(memoryLivePods(tables)),
    notices: onStorable(memoryNotices(tables)),
    ledger: onStorable(memoryLedger(tables)),
    findings: onStorable(memoryFindings(tables)),
    breakers: onStorable(memoryBreakers(tables)),
    tokens: onStorable(memoryTokens(tables)),
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
