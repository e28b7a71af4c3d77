import type { Postmortem } from '#/ports/store.ts'
import { postmortemFromRow } from '#/adapters/postgres/rows-postmortem.ts'
import type { PostmortemRow } from '#/adapters/postgres/rows-postmortem.ts'
import { storedTypes } from '#/adapters/postgres/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows.ts'

const LIST_POSTMORTEMS = `
  select * from postmortems
  where ($1::text is null or uid = $1) and ($2::bigint is null or died_at >= $2)
    and ($3::text is null or cause = $3) and ($4::text is null or node = $4)
  order by died_at desc, uid desc
  limit $5`

export async function listPostmortems(
  db: Queryable,
  filter: {
    readonly uid?: string
    readonly since?: number
    readonly cause?: string
    readonly node?: string
    readonly limit: number
  },
): Promise<readonly Postmortem[]> {
  const { rows } = await db.query<PostmortemRow>({
    text: LIST_POSTMORTEMS,
    types: storedTypes,
    values: [filter.uid ?? null, filter.since ?? null, filter.cause ?? null, filter.node ?? null, filter.limit],
  })
  return rows.map(postmortemFromRow)
}
