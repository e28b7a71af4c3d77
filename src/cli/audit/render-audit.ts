import type { Section, Output } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Tone } from '#/cli/output/style.ts'
import type { Cell } from '#/cli/output/table.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import type { Finding, FindingSubject, Severity } from '#/core/audit/finding.ts'
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

const TONES: Readonly<Record<Severity, Tone>> = { info: 'dim', warning: 'yellow', critical: 'red' }

export function renderAudit({ reports, leftOut, lanes }: AuditAnswer): Output {
  const audits = reports.map(reportToJson)
  return {
    data: { audits, ...(lanes === null ? {} : { lanes: lanes.map(redacted) }), notApplicable: leftOut },
    sections: [
      ...reports.filter(({ findings }) => findings.length > 0).map(reportSection),
      ...quiet(reports),
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

const LONGEST = 500

function redacted<T>(value: T): T {
  return redactedValue(value) as T
}

function redactedValue(value: unknown): unknown {
  if (typeof value === 'string') return redactAndClip(value)
  if (Array.isArray(value)) return value.map(redactedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactedValue(inner)]))
}

/** Cut after redaction: half a secret would not be recognised as one. */
function redactAndClip(text: string): string {
  const safe = redact(text)
  return safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe
}

function quiet(reports: readonly AuditReport[]): readonly Section[] {
  const names = reports.filter(({ findings }) => findings.length === 0).map(({ id }) => id)
  return names.length === 0 ? [] : [{ text: `No findings: ${names.join(', ')}.` }]
}

function reportSection({ id, findings }: AuditReport): Section {
  const groups = folded(findings)
  const advice = Map.groupBy(
    groups.map(({ first }) => first).filter(({ severity }) => severity !== 'info'),
    ({ hint }) => hint,
  )
  return {
    title: id,
    table: {
      columns: ['severity', 'class', 'subject', 'evidence'],
      rows: groups.map(({ first, more }): readonly Cell[] => [
        { text: first.severity, tone: TONES[first.severity] },
        first.class,
        printable(redactAndClip(subjectName(first.subject))) + (more === 0 ? '' : ` and ${more} more`),
        printable(shown(first.evidence)),
      ]),
    },
    ...(advice.size === 0
      ? {}
      : {
          text: [...advice]
            .map(([hint, own]) => {
              const names = [...new Set(own.map((finding) => finding.class))]
              return `  ${names.join(', ')}: ${printable(redactAndClip(hint))}`
            })
            .join('\n'),
        }),
  }
}

type Group = { readonly first: Finding; readonly more: number }

/** Info findings are folded per class, or five hundred healthy nodes would hide the full one. */
function folded(findings: readonly Finding[]): readonly Group[] {
  const groups: Group[] = findings.filter(({ severity }) => severity !== 'info').map((first) => ({ first, more: 0 }))
  const infos = Map.groupBy(
    findings.filter(({ severity }) => severity === 'info'),
    (finding) => finding.class,
  )
  for (const [first, ...others] of infos.values()) {
    if (first !== undefined) groups.push({ first, more: others.length })
  }
  return groups
}

/** The table shows a short text; the other formats have all of it. */
const SHOWN_CHARACTERS = 120

function shown(evidence: readonly string[]): string {
  const [first = ''] = evidence
  const text = redact(first)
  const cut = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  return evidence.length > 1 ? `${cut} (+${evidence.length - 1})` : cut
}

export function subjectName({ kind, namespace, name, line, column }: FindingSubject): string {
  const place = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}${place}`
}
