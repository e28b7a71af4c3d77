import type { BreakerRow } from '#/ports/store/breakers.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const INSERT_BREAKER = `
  insert into breakers (key, generation, failures, open_until, why, changed_at) values ($1, $2 + 1, $3, $4, $5, $6)
  on conflict (key) do nothing`

const UPDATE_BREAKER = `
  update breakers set generation = $2 + 1, failures = $3, open_until = $4, why = $5, changed_at = $6
  where key = $1 and generation = $2`

export async function putBreaker(db: Queryable, row: BreakerRow): Promise<'committed' | 'stale'> {
  const values = [row.key, row.generation, row.failures, row.openUntil, row.why, row.changedAt]
  const { rowCount } = await db.query(
    row.generation === 0
      ? { name: 'insert-breaker', text: INSERT_BREAKER, values }
      : { name: 'update-breaker', text: UPDATE_BREAKER, values },
  )
  return rowCount === 1 ? 'committed' : 'stale'
}
