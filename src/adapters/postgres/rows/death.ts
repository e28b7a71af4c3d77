import type { DeathRecord } from '#/ports/store/deaths.ts'
import type { Verdict } from '#/ports/store/deaths.ts'
import { promised } from './rows.ts'

export type StoredDeathRow = {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly node: string | null
  readonly scope: string | null
  readonly job: number | null
  readonly pool: string | null
  readonly repository: string | null
  readonly runner: string | null
  readonly missed: boolean
  readonly kind: string | null
  readonly died_at: number
  readonly recorded_at: number
  readonly cause: string | null
  readonly confidence: number | null
  readonly rules: string | null
  readonly judged_at: number | null
  readonly verdict: unknown
}

export function deathFromRow(row: StoredDeathRow): DeathRecord {
  return {
    uid: row.uid,
    namespace: row.namespace,
    pod: row.pod,
    node: row.node,
    scope: row.scope,
    job: row.job,
    pool: row.pool,
    repository: row.repository,
    runner: row.runner,
    missed: row.missed,
    diedAt: row.died_at,
    recordedAt: row.recorded_at,
    verdict: verdictFromRow(row),
  }
}

function verdictFromRow(row: StoredDeathRow): Verdict | null {
  if (row.cause === null) return null
  return {
    cause: row.cause,
    kind: promised(row.kind, 'kind'),
    confidence: promised(row.confidence, 'confidence'),
    rules: promised(row.rules, 'rules'),
    judgedAt: promised(row.judged_at, 'judged_at'),
    document: row.verdict,
  }
}

/** The columns cause, confidence, rules, judged_at, verdict and kind. */
export function verdictValues(verdict: Verdict | null): readonly (string | number | null)[] {
  if (verdict === null) return [null, null, null, null, null, null]
  const { cause, confidence, rules, judgedAt, document, kind } = verdict
  return [cause, confidence, rules, judgedAt, JSON.stringify(document ?? null), kind]
}
