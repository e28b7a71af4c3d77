import type { Ledger } from '#/ports/store/ledger.ts'
import type { Tables } from './tables.ts'

export function memoryLedger(tables: Tables): Ledger {
  let lastId = 0
  return {
    append: async (entry) => {
      lastId += 1
      tables.ledger.push({ ...entry, id: lastId })
      return lastId
    },
    list: async ({ since, subject, limit }) =>
      tables.ledger
        .filter(
          (entry) => (since === undefined || entry.at >= since) && (subject === undefined || entry.subject === subject),
        )
        .sort((a, b) => b.at - a.at || b.id - a.id)
        .slice(0, limit),
  }
}
