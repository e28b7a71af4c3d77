import type { Postmortem } from '#/ports/store.ts'
import { verdictValues } from '#/adapters/postgres/rows-postmortem.ts'
import type { Queryable } from '#/adapters/postgres/rows.ts'

/** A second record fills in what the first did not know. */
const RECORD_POSTMORTEM = `
  insert into postmortems
    (uid, namespace, pod, node, scope, job, died_at, recorded_at, cause, confidence, rules, judged_at, verdict)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  on conflict (uid) do update set
    node = coalesce(postmortems.node, excluded.node),
    scope = coalesce(postmortems.scope, excluded.scope),
    job = coalesce(postmortems.job, excluded.job),
    cause = coalesce(postmortems.cause, excluded.cause),
    confidence = coalesce(postmortems.confidence, excluded.confidence),
    rules = coalesce(postmortems.rules, excluded.rules),
    judged_at = coalesce(postmortems.judged_at, excluded.judged_at),
    verdict = coalesce(postmortems.verdict, excluded.verdict)`

export async function recordPostmortem(db: Queryable, postmortem: Postmortem): Promise<void> {
  const { uid, namespace, pod, node, scope, job, diedAt, recordedAt, verdict } = postmortem
  await db.query({
    name: 'record-postmortem',
    text: RECORD_POSTMORTEM,
    values: [uid, namespace, pod, node, scope, job, diedAt, recordedAt, ...verdictValues(verdict)],
  })
}
