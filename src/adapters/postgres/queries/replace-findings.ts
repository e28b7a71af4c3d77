import type { FindingRow } from '#/ports/store/findings.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const REPLACE_FINDINGS = `
  with present as materialized (
    select * from json_to_recordset($3) as row (key text, class text, severity text, document json)
  ),
  gone as (
    delete from findings where audit = $1 and key not in (select key from present)
  )
  insert into findings (audit, key, class, severity, document, first_seen_at, last_seen_at)
  select $1, key, class, severity, coalesce(document, 'null'), $2, $2 from present order by key
  on conflict (audit, key) do update set
    class = excluded.class, severity = excluded.severity, document = excluded.document, last_seen_at = excluded.last_seen_at`

export async function replaceFindings(
  db: Queryable,
  audit: string,
  at: number,
  findings: readonly FindingRow[],
): Promise<void> {
  const present = new Map(findings.map((finding) => [finding.key, finding]))
  const rows = JSON.stringify([...present.values()])
  await db.query({ name: 'replace-findings', text: REPLACE_FINDINGS, values: [audit, at, rows] })
}
