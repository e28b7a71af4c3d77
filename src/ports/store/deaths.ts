import type { EvidencePart } from './evidence.ts'

export type Deaths = {
  /**
   * The death and its evidence, or nothing. A pod has one death: a second record with the same UID fills in
   * what the first did not know, adds sources, and replaces a source only by one that saw more (blind < none < seen), or
   * as much in a later revision. If the first was about a pod that could not start, the second adds when it ended.
   * Of two verdicts the later one counts, and one about an end more than one about a failed start: the same record twice,
   * or an old one that comes late, changes nothing.
   */
  readonly record: (death: DeathRecord, evidence: readonly EvidencePart[]) => Promise<void>
  /** The former verdict becomes history. */
  readonly rejudge: (uid: string, verdict: Verdict) => Promise<'changed' | 'absent'>
  /** Former verdicts, the latest first, at most `MOST_HISTORY`. */
  readonly history: (uid: string) => Promise<readonly Verdict[]>
  readonly get: (
    uid: string,
  ) => Promise<{ readonly death: DeathRecord; readonly evidence: readonly EvidencePart[] } | null>
  /** The latest death comes first. `since` is the earliest time of death. What was kept before an act is no death. */
  readonly list: (filter: DeathFilter) => Promise<readonly DeathRecord[]>
}

/** Of one death. */
export const MOST_HISTORY = 100

export type DeathFilter = {
  /** Of the time of death; `until` itself is left out. */
  readonly since?: number
  readonly until?: number
  readonly cause?: string
  readonly kind?: string
  /** Only those without a verdict. */
  readonly unjudged?: true
  readonly node?: string
  readonly pool?: string
  readonly repository?: string
  readonly job?: number
  /** Of the pod or of its runner. */
  readonly name?: string
  /** Only what comes after this one in the list. */
  readonly after?: { readonly diedAt: number; readonly uid: string }
  readonly limit: number
}

export type DeathRecord = {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly node: string | null
  readonly scope: string | null
  readonly job: number | null
  /** The scale set, or what else the runner was one of. */
  readonly pool: string | null
  readonly repository: string | null
  readonly runner: string | null
  /** We were not looking when it went. A second record that was looking makes it false. */
  readonly missed: boolean
  readonly diedAt: number
  readonly recordedAt: number
  readonly verdict: Verdict | null
}

export type Verdict = {
  readonly cause: string
  /** A death, one that never started, no death at all, or unknown. */
  readonly kind: string
  readonly confidence: number
  readonly rules: string
  readonly judgedAt: number
  readonly document: unknown
}
