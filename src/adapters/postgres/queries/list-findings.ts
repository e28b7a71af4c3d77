import type { Findings } from '#/ports/store/findings.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

type Listed = Awaited<ReturnType<Findings['list']>>

const LIST_FINDINGS = `
  select audit, key, class, severity, document, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"
  from findings where $1::text is null or audit = $1
  order by audit, key
  limit $2`

export async function listFindings(db: Queryable, filter: Parameters<Findings['list']>[0]): Promise<Listed> {
  const { rows } = await db.query<Listed[number]>({
    text: LIST_FINDINGS,
    types: storedTypes,
    values: [filter.audit ?? null, filter.limit],
  })
  return rows
}
