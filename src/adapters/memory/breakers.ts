import type { Breakers } from '#/ports/store/breakers.ts'
import { byText } from './tables.ts'
import type { Tables } from './tables.ts'

export function memoryBreakers({ breakers }: Tables): Breakers {
  return {
    get: async (key) => breakers.get(key) ?? null,
    list: async () => [...breakers.values()].sort((a, b) => byText(a.key, b.key)),
    put: async (row) => {
      if ((breakers.get(row.key)?.generation ?? 0) !== row.generation) return 'stale'
      breakers.set(row.key, { ...row, generation: row.generation + 1 })
      return 'committed'
    },
  }
}
