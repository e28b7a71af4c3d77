import { redactAndClip } from './finding-details.ts'
import { reportSection } from './report-section.ts'
import { quietSections, seenSections } from './seen-sections.ts'
import type { Output } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { LaneSummary } from '#/core/audit/lane-summary.ts'
import { laneSentence } from '#/core/audit/lane-summary.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'

export type AuditAnswer = {
  readonly reports: readonly AuditReport[]
  /** Audits that do not apply to this fleet. */
  readonly leftOut: readonly string[]
  /** Null when the burst audit did not run. */
  readonly lanes: readonly LaneSummary[] | null
}

/** `isFull` (`--verbose`): every finding with all of its evidence. The other formats always have all of it. */
export function renderAudit({ reports, leftOut, lanes }: AuditAnswer, isFull = false): Output {
  const audits = reports.map(reportToJson)
  return {
    data: { audits, ...(lanes === null ? {} : { lanes: lanes.map(redacted) }), notApplicable: leftOut },
    sections: [
      ...reports.filter(({ findings }) => findings.length > 0).map((report) => reportSection(report, isFull)),
      ...quietSections(reports),
      ...seenSections(reports),
      ...(leftOut.length === 0 ? [] : [{ text: `Not applicable to this fleet: ${leftOut.join(', ')}.` }]),
      ...(lanes === null || lanes.length === 0
        ? []
        : [{ title: 'Lanes', text: lanes.map((lane) => printable(redact(laneSentence(lane)))).join('\n') }]),
    ],
  }
}

/** Everything is redacted here, because evidence quotes log lines of other programs. */
export function reportToJson({ id, sources, findings }: AuditReport) {
  return { id, sources: sources.map(redacted), findings: findings.map(findingToJson) }
}

export function findingToJson({ class: name, severity, subject, evidence, hint, gates, fields }: Finding) {
  return redacted({
    class: name,
    severity,
    subject,
    evidence,
    hint,
    ...(gates === undefined ? {} : { gates }),
    ...fields,
  })
}

/** A copy with every text redacted. */
export function redacted<T>(value: T): T {
  return redactedValue(value) as T
}

function redactedValue(value: unknown): unknown {
  if (typeof value === 'string') return redactAndClip(value)
  if (Array.isArray(value)) return value.map(redactedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactedValue(inner)]))
}
