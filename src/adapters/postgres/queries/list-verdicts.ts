import type { Verdict } from '#/ports/store/deaths.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const LIST_VERDICTS = `
  select cause, kind, confidence, rules, judged_at as "judgedAt", document
  from verdicts where uid = $1
  order by id desc
  limit $2`

export async function listVerdicts(db: Queryable, uid: string, limit: number): Promise<readonly Verdict[]> {
  const query = { name: 'list-verdicts', text: LIST_VERDICTS, types: storedTypes, values: [uid, limit] }
  return (await db.query<Verdict>(query)).rows
}
