import type { EvidenceRow } from '#/adapters/postgres/rows/evidence.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** A source that saw more replaces one that saw less, a later revision an earlier one, never the other way round. */
const RECORD_EVIDENCE = `
  insert into evidence (uid, source, observed, reason, content, revision)
  select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::int[])
  on conflict (uid, source) do update set
    observed = excluded.observed, reason = excluded.reason, content = excluded.content,
    revision = excluded.revision
  where (array_position(array['blind', 'none', 'seen'], excluded.observed), excluded.revision)
    > (array_position(array['blind', 'none', 'seen'], evidence.observed), evidence.revision)`

/** All parts in one statement: a storm of deaths is mostly this. */
export async function recordEvidence(db: Queryable, uid: string, parts: readonly EvidenceRow[]): Promise<void> {
  const rows = strongest(parts)
  if (rows.length === 0) return
  await db.query({
    name: 'record-evidence',
    text: RECORD_EVIDENCE,
    values: [
      uid,
      rows.map(({ source }) => source),
      rows.map(({ observed }) => observed),
      rows.map(({ reason }) => reason),
      rows.map(({ content }) => content),
      rows.map(({ revision }) => revision ?? 0),
    ],
  })
}

const STRENGTH = ['blind', 'none', 'seen'] as const

/** One statement may touch a row once: of parts that are given twice the one that would win in the end. */
function strongest(parts: readonly EvidenceRow[]): readonly EvidenceRow[] {
  const kept = new Map<string, EvidenceRow>()
  for (const part of parts) {
    const former = kept.get(part.source)
    if (former === undefined || isStronger(part, former)) kept.set(part.source, part)
  }
  return [...kept.values()]
}

function isStronger(part: EvidenceRow, former: EvidenceRow): boolean {
  const more = STRENGTH.indexOf(part.observed) - STRENGTH.indexOf(former.observed)
  return more > 0 || (more === 0 && (part.revision ?? 0) > (former.revision ?? 0))
}
