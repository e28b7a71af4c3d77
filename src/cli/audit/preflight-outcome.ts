import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'

export type PreflightOutcome = 'ready' | 'in-flight' | 'wedged' | 'unknown'

/** The worst of all sets: wedged, then unknown, then in-flight. Unknown comes before in-flight because it may still turn out to be wedged. */
export function preflightOutcome({ findings, isBlind }: AuditReport): PreflightOutcome {
  const classes = new Set(findings.map((finding) => finding.class))
  if (classes.has('wedged')) return 'wedged'
  if (isBlind || classes.has('unknown') || !classes.has('ready')) {
    return classes.has('in-flight') ? 'in-flight' : 'unknown'
  }
  return classes.has('in-flight') ? 'in-flight' : 'ready'
}

export function preflightExit(outcome: PreflightOutcome): ExitCode {
  if (outcome === 'ready') return EXIT.ok
  return outcome === 'unknown' ? EXIT.blind : EXIT.failed
}
