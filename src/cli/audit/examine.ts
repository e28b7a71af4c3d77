import type { Audit, Question } from '#/core/audit/audit.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { askedLanes } from '#/audits/burst/view.ts'
import { laneSummaries } from '#/core/audit/lane-summary.ts'
import { runAudit } from '#/core/audit/run-audit.ts'
import type { AuditAnswer } from './render-audit.ts'

/** A named audit always runs; the others run only if they apply to this fleet. */
export function examine(
  fleet: Fleet,
  {
    audits,
    areNamed,
    question,
  }: { readonly audits: readonly Audit[]; readonly areNamed: boolean; readonly question: Question },
): AuditAnswer {
  const running = areNamed ? audits : audits.filter((audit) => audit.applies(fleet, question))
  const reports = running.map((audit) => runAudit(audit, fleet, question))
  // Of another lane nothing was examined, so nothing can be said about what limits it.
  const lanes = new Set(askedLanes(fleet, question).map(({ label }) => label))
  const burst = reports.find(({ id }) => id === 'burst')
  return {
    reports,
    leftOut: audits.filter((audit) => !running.includes(audit)).map(({ id }) => id),
    lanes: burst === undefined ? null : laneSummaries(fleet, burst.findings).filter(({ label }) => lanes.has(label)),
  }
}
