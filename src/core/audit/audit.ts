import type { Finding, Severity } from './finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'

export const AUDIT_IDS = [
  'burst',
  'labels',
  'imagefs',
  'runtime',
  'network',
  'pull-secrets',
  'contract',
  'capacity',
  'preflight',
  'nodes',
  'auth',
  'drift',
  'cache',
  'trust',
  'gitlab',
] as const
export type AuditId = (typeof AUDIT_IDS)[number]

/** One question to a fleet. Pure: everything that it may know stands in the fleet and in what was asked. */
export type Audit = {
  readonly id: AuditId
  /** The question, as a person asks it. */
  readonly asks: string
  /** For the page: how it decides, and what it keeps apart. */
  readonly about: string
  readonly reads: readonly SourceUse[]
  /** Lines of logs with one of these are kept for it; others it never sees. */
  readonly mentions?: readonly string[]
  readonly classes: readonly AuditClass[]
  /** Whether the question makes sense for this fleet: an audit that does not apply is left out unless it is named. */
  readonly applies: (fleet: Fleet, question: Question) => boolean
  readonly examine: (fleet: Fleet, question: Question) => readonly Finding[]
}

export type AuditClass = {
  readonly class: string
  /** The ordinary one; a finding may differ where docs/contracts/findings.md says so. */
  readonly severity: Severity
  readonly meaning: string
  /** What to do about it, in general; the finding's hint says it for the case. */
  readonly next: string
}

export type SourceUse = {
  /** `kubernetes/stats` and `kubernetes/configz` stand for those of every node. */
  readonly source: string
  /** Without a needed source the audit cannot say that all is well. A useful one counts only where it was asked for. */
  readonly weight: 'needed' | 'useful'
  readonly tells: string
}

/** What was asked on the command line. */
export type Question = {
  readonly runner: string | null
  readonly at: number | null
  /** Lanes; empty is all. */
  readonly labels: readonly string[]
  readonly nodes: readonly string[]
  readonly scaleSets: readonly string[]
}

export const WHOLE_FLEET: Question = { runner: null, at: null, labels: [], nodes: [], scaleSets: [] }
