import type { AskedContext } from '#/cli/audit/asked-fleet.ts'
import { askedFleet, isLive } from '#/cli/audit/asked-fleet.ts'
import { confirmWedges } from '#/audits/runtime/confirm-wedge.ts'
import type { Audit, Question } from '#/core/audit/audit.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { runAudit } from '#/core/audit/run-audit.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'

/** docs/contracts/findings.md: a set is wedged only if a second read, a minute later, shows no change. */
export const BETWEEN_READS_MS = 60_000

const WEDGES: ReadonlySet<string> = new Set(['rollover-wedged', 'stale-idle-listener-blocker', 'wedged'])

export type Reading = { readonly fleet: Fleet; readonly reports: readonly AuditReport[] }

/** The reports; on a live fleet each wedge is checked twice. */
export async function confirmed(
  context: AskedContext,
  { audits, question }: { readonly audits: readonly Audit[]; readonly question: Question },
  first: Reading,
): Promise<Reading> {
  const doubtful = first.reports.filter(({ findings }) => findings.some((one) => WEDGES.has(one.class)))
  if (doubtful.length === 0 || !isLive(context.flags)) return first
  context.terminal.notice('a rollover looks wedged: reading again in one minute to confirm')
  await context.clock.sleep(BETWEEN_READS_MS, context.signal)
  context.signal.throwIfAborted()
  const again = audits.filter(({ id }) => doubtful.some((report) => report.id === id))
  const { fleet: later } = await askedFleet(context, again)
  const sure = new Map(
    again.map((audit) => {
      const report = runAudit(audit, later, question)
      const findings = confirmWedges(report.findings, { earlier: first.fleet, later })
      return [report.id, { ...report, findings }] as const
    }),
  )
  return { fleet: first.fleet, reports: first.reports.map((report) => sure.get(report.id) ?? report) }
}
