import type { EvidencePart } from '#/ports/store/evidence.ts'
import { evidenceFromRow } from '#/adapters/postgres/rows/evidence.ts'
import type { EvidenceRow } from '#/adapters/postgres/rows/evidence.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const LIST_EVIDENCE = `
  select source, observed, reason, content from evidence where uid = $1 order by source`

export async function listEvidence(db: Queryable, uid: string): Promise<readonly EvidencePart[]> {
  const { rows } = await db.query<EvidenceRow>({ name: 'list-evidence', text: LIST_EVIDENCE, values: [uid] })
  return await Promise.all(rows.map(evidenceFromRow))
}
