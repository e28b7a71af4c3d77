import { BEFORE_ACT } from '#/core/ledger/evidence-uid.ts'
import type { DeathRecord, DeathFilter } from '#/ports/store/deaths.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'
import { deathFromRow } from '#/adapters/postgres/rows/death.ts'
import type { StoredDeathRow } from '#/adapters/postgres/rows/death.ts'

const LIST_DEATHS = `
  select * from postmortems
  where ($1::text is null or uid = $1) and ($2::bigint is null or died_at >= $2)
    and ($3::text is null or cause = $3) and ($4::text is null or node = $4)
    and ($6::bigint is null or died_at < $6) and ($7::text is null or kind = $7)
    and ($8::text is null or pool = $8) and ($9::text is null or repository = $9)
    and ($10::bigint is null or job = $10) and ($11::text is null or pod = $11 or runner = $11)
    and ($12::bigint is null or (died_at, uid) < ($12, $13 collate "C"))
    and ($14::boolean is null or cause is null)
    and ($1::text is not null or kind is distinct from '${BEFORE_ACT}')
  order by died_at desc, uid desc
  limit $5`

export async function listDeaths(
  db: Queryable,
  filter: DeathFilter & { readonly uid?: string },
): Promise<readonly DeathRecord[]> {
  const { uid, since, until, cause, kind, node, pool, repository, job, name, after, unjudged, limit } = filter
  const place = [after?.diedAt, after?.uid, unjudged]
  const asked = [uid, since, cause, node, limit, until, kind, pool, repository, job, name, ...place]
  const values = asked.map((value) => value ?? null)
  const { rows } = await db.query<StoredDeathRow>({ text: LIST_DEATHS, types: storedTypes, values })
  return rows.map(deathFromRow)
}
