import type { DeathRecord } from '#/ports/store/deaths.ts'
import { verdictValues } from '#/adapters/postgres/rows/death.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** One about an end counts more than one about a failed start, then the later one. */
const IS_BETTER = `(excluded.cause is not null and (postmortems.cause is null
      or (excluded.kind <> 'never-started', excluded.judged_at) > (postmortems.kind <> 'never-started', postmortems.judged_at)))`

const better = (column: string): string =>
  `${column} = case when ${IS_BETTER} then excluded.${column} else postmortems.${column} end`

/** A second record fills in what the first did not know. A pod that could not start dies when it really ends. */
const RECORD_DEATH = `
  insert into postmortems
    (uid, namespace, pod, node, scope, job, pool, repository, runner, missed, died_at, recorded_at,
      cause, confidence, rules, judged_at, verdict, kind)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
  on conflict (uid) do update set
    node = coalesce(postmortems.node, excluded.node),
    scope = coalesce(postmortems.scope, excluded.scope),
    job = coalesce(postmortems.job, excluded.job),
    pool = coalesce(postmortems.pool, excluded.pool),
    repository = coalesce(postmortems.repository, excluded.repository),
    runner = coalesce(postmortems.runner, excluded.runner),
    missed = postmortems.missed and excluded.missed,
    died_at = case when postmortems.kind = 'never-started' and ${IS_BETTER}
      then excluded.died_at else postmortems.died_at end,
    ${['cause', 'confidence', 'rules', 'judged_at', 'verdict', 'kind'].map(better).join(',\n    ')}`

export async function recordDeath(db: Queryable, postmortem: DeathRecord): Promise<void> {
  const { uid, namespace, pod, node, scope, job, pool, repository, runner, missed } = postmortem
  const whose = [uid, namespace, pod, node, scope, job, pool, repository, runner, missed]
  const { diedAt, recordedAt, verdict } = postmortem
  await db.query({
    name: 'record-death',
    text: RECORD_DEATH,
    values: [...whose, diedAt, recordedAt, ...verdictValues(verdict)],
  })
}
