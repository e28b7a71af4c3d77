import type { HeldShare } from '#/core/dispatch/fairness.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const COUNT_HELD_SHARES = `
  select repository, count(*) as slots
  from jobs where scope = $1 and state in ('claimed', 'minted', 'executing')
  group by repository
  order by repository`

export async function countHeldShares(db: Queryable, scope: string): Promise<readonly HeldShare[]> {
  const { rows } = await db.query<HeldShare>({
    name: 'count-held-shares',
    text: COUNT_HELD_SHARES,
    types: storedTypes,
    values: [scope],
  })
  return rows
}
