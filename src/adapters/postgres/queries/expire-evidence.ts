import { EXPIRED_EVIDENCE } from '#/adapters/storable/bound-evidence.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** Counts the bytes from the newest part on, and empties, oldest first, the parts with which the count is too high. */
const EXPIRE_EVIDENCE = `
  update evidence set observed = 'blind', reason = $3, content = null
  from (
    select uid, source
    from (
      select uid, source, sum(stored_bytes) over (order by recorded_at desc, uid desc, source desc) as bytes
      from evidence join postmortems using (uid)
      where stored_bytes > 0
    ) as counted
    where bytes > $1::bigint
    order by bytes desc
    limit $2
  ) as expired
  where evidence.uid = expired.uid and evidence.source = expired.source`

export async function expireEvidence(db: Queryable, limitBytes: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'expire-evidence',
    text: EXPIRE_EVIDENCE,
    values: [limitBytes, limit, EXPIRED_EVIDENCE],
  })
  return rowCount ?? 0
}
