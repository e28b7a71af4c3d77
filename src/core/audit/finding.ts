import { howToSee } from './how-to-see.ts'

/** Worst last. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

/** What a finding is about. `kind` is the Kubernetes kind if there is an object. */
export type FindingSubject = {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly line?: number
  readonly column?: number
}

export type GateAnswer = { readonly gate: string; readonly holds: boolean; readonly why: string }

export type Holder = {
  readonly repository: string | null
  readonly workflow: string | null
  readonly runner: string
  /** RFC 3339, or null if unknown. */
  readonly since: string | null
}

export type Finding = {
  readonly class: string
  readonly severity: Severity
  readonly subject: FindingSubject
  /** Observed facts, one each: names and numbers, no conclusion. */
  readonly evidence: readonly string[]
  /** A command, or a change in source, that fits this finding. */
  readonly hint: string
  readonly gates?: readonly GateAnswer[]
  /** Numbers are fields, not prose: they are added to the other fields in the output. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export function isAbove(severity: Severity, floor: Severity): boolean {
  return SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(floor)
}

/** A source that could not be read. */
export const BLIND_CLASS = 'blind'

export function blindFinding(source: string, why: string): Finding {
  return {
    class: BLIND_CLASS,
    severity: 'warning',
    subject: { kind: 'Source', name: source },
    evidence: [why],
    hint: `${howToSee(source)}; until then everything that depends on ${source} is unknown`,
  }
}
