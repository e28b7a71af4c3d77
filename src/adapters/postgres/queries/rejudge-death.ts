import type { Verdict } from '#/ports/store/deaths.ts'
import { verdictValues } from '#/adapters/postgres/rows/death.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const REJUDGE_DEATH = `
  update postmortems set cause = $2, confidence = $3, rules = $4, judged_at = $5, verdict = $6, kind = $7 where uid = $1`

export async function rejudgeDeath(db: Queryable, uid: string, verdict: Verdict): Promise<'changed' | 'absent'> {
  const { rowCount } = await db.query({
    name: 'rejudge-death',
    text: REJUDGE_DEATH,
    values: [uid, ...verdictValues(verdict)],
  })
  return rowCount === 1 ? 'changed' : 'absent'
}
