import type { EvidenceRow } from '#/adapters/postgres/rows-evidence.ts'
import type { Queryable } from '#/adapters/postgres/rows.ts'

/** A source that saw more replaces one that saw less, never the other way round. */
const RECORD_EVIDENCE = `
  insert into evidence (uid, source, observed, reason, content) values ($1, $2, $3, $4, $5)
  on conflict (uid, source) do update set
    observed = excluded.observed, reason = excluded.reason, content = excluded.content
  where array_position(array['blind', 'none', 'seen'], excluded.observed)
    > array_position(array['blind', 'none', 'seen'], evidence.observed)`

export async function recordEvidence(db: Queryable, uid: string, row: EvidenceRow): Promise<void> {
  await db.query({
    name: 'record-evidence',
    text: RECORD_EVIDENCE,
    values: [uid, row.source, row.observed, row.reason, row.content],
  })
}
