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

/** One question about a fleet. Pure: its only input is the fleet and the question. */
export type Audit = {
  readonly id: AuditId
  /** The question in plain words. */
  readonly asks: string
  /** For the docs page: how it decides. */
  readonly about: string
  readonly reads: readonly SourceUse[]
  /** Only log lines with one of these are kept for it. */
  readonly mentions?: readonly string[]
  readonly classes: readonly AuditClass[]
  /** Whether the question makes sense for this fleet: an audit that does not apply runs only if it is named. */
  readonly applies: (fleet: Fleet, question: Question) => boolean
  readonly examine: (fleet: Fleet, question: Question) => readonly Finding[]
  /** What must be known about a source that was read, by its name, even if there are no findings. */
  readonly remarks?: (fleet: Fleet, question: Question) => ReadonlyMap<string, string>
}

export type AuditClass = {
  readonly class: string
  /** The usual severity; a finding may differ where docs/contracts/findings.md says so. */
  readonly severity: Severity
  readonly meaning: string
  /** What to do in general; the finding's hint is specific. */
  readonly next: string
}

export type SourceUse = {
  /** `kubernetes/stats` and `kubernetes/configz` mean those of every node. */
  readonly source: string
  /** Without a needed source the audit cannot say that all is well. A useful one counts only if it was requested. */
  readonly weight: 'needed' | 'useful'
  readonly gives: string
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
