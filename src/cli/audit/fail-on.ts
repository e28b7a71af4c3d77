import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { SEVERITIES, isAbove } from '#/core/audit/finding.ts'
import type { Finding, Severity } from '#/core/audit/finding.ts'
import { isBlindFinding } from '#/core/audit/run-audit.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'

/** What makes a run fail: a severity and all above it, or a class. Without any, all above `info`. */
export type FailOn =
  | { readonly kind: 'severity'; readonly floor: Severity }
  | { readonly kind: 'class'; readonly class: string }

/** Null when it is neither. */
export function parseFailOn(text: string, classes: ReadonlySet<string>): FailOn | null {
  const severity = SEVERITIES.find((known) => known === text)
  if (severity !== undefined) return { kind: 'severity', floor: severity }
  return classes.has(text) ? { kind: 'class', class: text } : null
}

/** A failing finding wins over blindness, because what was seen stays true. */
export function auditExit(reports: readonly AuditReport[], failOn: readonly FailOn[]): ExitCode {
  const isFailing = reports.some(({ findings }) => findings.some((finding) => fails(finding, failOn)))
  if (isFailing) return EXIT.failed
  return reports.some(({ isBlind }) => isBlind) ? EXIT.blind : EXIT.ok
}

function fails(finding: Finding, failOn: readonly FailOn[]): boolean {
  const isNamed = failOn.some((rule) => rule.kind === 'class' && rule.class === finding.class)
  if (isNamed) return true
  // Blindness has its own exit code, unless --fail-on blind asks for it.
  if (isBlindFinding(finding)) return false
  if (failOn.length === 0) return isAbove(finding.severity, 'info')
  return failOn.some((rule) => rule.kind === 'severity' && !isAbove(rule.floor, finding.severity))
}
