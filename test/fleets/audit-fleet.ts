import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { readFleetDocument } from '#/adapters/fleet-file/read-fleet-document.ts'
import { AUDITS } from '#/audits/index.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Audit, Question } from '#/core/audit/audit.ts'
import { isAbove } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import { isBlindFinding, runAudit } from '#/core/audit/run-audit.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'
import { readSnapshot } from '#/runtime/audit/read-snapshot.ts'
import type { ExpectedAudit } from './known-fleets.ts'

export function findAudit(id: string): Audit {
  const audit = AUDITS.find((one) => one.id === id)
  if (audit === undefined) throw new Error(`no audit ${id}`)
  return audit
}

/** Runs one audit on a bundle folder, like the command. */
export async function auditFolder(path: string, audit: Audit, asked: Partial<Question> = {}): Promise<AuditReport> {
  const opening = await openBundle(path, BUNDLE_LIMITS, new AbortController().signal)
  if (opening.kind === 'refused') throw new Error(opening.why)
  await using bundle = opening.bundle
  const fleet = readFleet(await readSnapshot(bundle, [audit], readFleetDocument))
  return runAudit(audit, fleet, { ...WHOLE_FLEET, ...asked })
}

/** How a report differs from the expected one; empty if it does not. */
export function complaints(report: AuditReport, expected: ExpectedAudit): readonly string[] {
  const reported = report.findings.map(describeFinding)
  const missing = (expected.mustReport ?? []).filter((wanted) => !report.findings.some((one) => fits(one, wanted)))
  const banned = (expected.mustNotReport ?? []).filter((name) => report.findings.some((one) => one.class === name))
  const bannedOn = (expected.mustNotReportOn ?? []).filter((wanted) =>
    report.findings.some((one) => one.class === wanted.class && one.subject.name === wanted.subject),
  )
  const limit = expected.maxSeverity
  const severe = limit === undefined ? [] : report.findings.filter(({ severity }) => isAbove(severity, limit))
  const exit = toExitCode(report)
  return [
    ...missing.map(
      (wanted) => `does not report ${JSON.stringify(wanted)}; it says ${reported.join(', ') || 'nothing'}`,
    ),
    ...banned.map((name) => `reports ${name}, which it must not; it says ${reported.join(', ')}`),
    ...bannedOn.map((one) => `reports ${one.class} on ${one.subject}`),
    ...severe.map((one) => `is more severe than ${limit}: ${describeFinding(one)}`),
    ...(expected.exitCode === undefined || expected.exitCode === exit
      ? []
      : [`would exit with ${exit}, not ${expected.exitCode}; it says ${reported.join(', ') || 'nothing'}`]),
  ]
}

function toExitCode({ findings, isBlind }: AuditReport): number {
  if (findings.some((one) => !isBlindFinding(one) && isAbove(one.severity, 'info'))) return 1
  return isBlind ? 3 : 0
}

function describeFinding({ class: name, severity, subject, evidence }: Finding): string {
  return `${name}(${severity}) on ${subject.kind} ${subject.name} [${evidence.join('; ')}]`
}

type Wanted = NonNullable<ExpectedAudit['mustReport']>[number]

function fits(finding: Finding, wanted: Wanted): boolean {
  const whole: Readonly<Record<string, unknown>> = { ...finding, ...finding.fields }
  return (
    finding.class === wanted.class &&
    (wanted.subject === undefined || isNamed(finding, wanted.subject)) &&
    (wanted.severity === undefined || finding.severity === wanted.severity) &&
    Object.entries(wanted.fields ?? {}).every(
      ([path, value]) => JSON.stringify(valueAt(whole, path)) === JSON.stringify(value),
    )
  )
}

/** The recordings name the set for classes about its runners (`idle-no-job-runner`): accept both. */
function isNamed({ subject, fields }: Finding, name: string): boolean {
  return subject.name === name || fields?.['scaleSet'] === name
}

function valueAt(whole: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<string, unknown>>)[key] : undefined,
      whole,
    )
}
