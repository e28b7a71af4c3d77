import type { Changes, Involved, Involvement } from '#/core/dispatch/assignment.ts'
import type { Claim } from '#/core/dispatch/claims.ts'
import type { Choose } from '#/core/dispatch/fairness.ts'
import type { Job, JobEvent, JobState } from '#/core/dispatch/job.ts'
import type { Slot, SlotState } from '#/core/dispatch/slot.ts'

/**
 * The one store. PostgreSQL and the memory model implement it and are held to one contract suite.
 *
 * Time comes from the caller. A compare-and-set that finds another generation answers `stale`; that is an ordinary
 * outcome. A store that cannot be reached throws `StoreUnavailable`; whether the last write happened is then unknown,
 * and the caller reads again. A NUL or half of a surrogate pair in a text is stored as U+FFFD.
 */
export type Store = {
  readonly assignments: Assignments
  readonly deliveries: Deliveries
  readonly postmortems: Postmortems
  readonly sightings: Sightings
  readonly notices: Notices
  readonly ledger: Ledger
  readonly findings: Findings
  readonly breakers: Breakers
  readonly retention: Retention
  readonly wakeups: Wakeups
}

export type Assignments = {
  readonly involved: (key: Involvement) => Promise<Involved>
  /** All of the changes with one history row each, or none of them. */
  readonly commit: (changes: Changes) => Promise<'committed' | 'stale'>
  /**
   * Takes the lock of the scope, loads a bounded set of candidates, lets `choose` pair them purely, writes all pairs in
   * one statement. Pairs that the transition tables refuse are left out. Answers the claims in the order of the pairs.
   */
  readonly match: (request: MatchRequest, choose: Choose) => Promise<readonly Claim[]>
  readonly job: (id: number) => Promise<Job | null>
  readonly slot: (uid: string) => Promise<Slot | null>
  /** The job that was queued first comes first. */
  readonly jobs: (filter: {
    readonly states?: readonly JobState[]
    readonly scope?: string
    readonly limit: number
  }) => Promise<readonly Job[]>
  /** The slot that appeared first comes first. */
  readonly slots: (filter: {
    readonly states?: readonly SlotState[]
    readonly scope?: string
    readonly limit: number
  }) => Promise<readonly Slot[]>
  readonly history: (job: number) => Promise<readonly JobHistoryRow[]>
}

export type MatchRequest = {
  readonly scope: string
  /** The slots that wait at this replica. Those that are not warm any more are left out. */
  readonly waiting: readonly string[]
  /**
   * The most jobs to choose from. They are taken in turns, the oldest of each repository, then the second oldest of each,
   * so that a repository with a long queue or a full cap hides no other.
   */
  readonly jobLimit: number
  readonly at: number
}
export type JobHistoryRow = {
  readonly job: number
  readonly generation: number
  readonly event: JobEvent
  readonly from: JobState | null
  readonly to: JobState
  readonly at: number
}

export type Deliveries = {
  /** A GUID that was seen before answers `repeated` and changes nothing. */
  readonly record: (delivery: Delivery) => Promise<'new' | 'repeated' | 'too-large'>
  /** What was recorded and not settled, oldest first. */
  readonly pending: (limit: number) => Promise<readonly Delivery[]>
  /** The first outcome stands. */
  readonly settle: (
    guid: string,
    outcome: { readonly at: number; readonly result: 'applied' | 'ignored' | 'refused'; readonly why: string | null },
  ) => Promise<void>
}
export type Delivery = {
  readonly guid: string
  readonly event: string
  readonly receivedAt: number
  readonly body: string
}
/** GitHub sends no more. */
export const MAX_DELIVERY_BYTES = 25 * 1024 * 1024

export type Postmortems = {
  /**
   * The post-mortem and its evidence, or nothing. A pod has one post-mortem: a second record with the same UID fills in
   * what the first did not know, adds sources, and replaces a source only by one that saw more (blind < none < seen), or
   * as much in a later revision. Where the first told of a pod that could not start, the second tells when it ended.
   */
  readonly record: (postmortem: Postmortem, evidence: readonly EvidencePart[]) => Promise<void>
  readonly rejudge: (uid: string, verdict: Verdict) => Promise<'changed' | 'absent'>
  readonly get: (
    uid: string,
  ) => Promise<{ readonly postmortem: Postmortem; readonly evidence: readonly EvidencePart[] } | null>
  /** The latest death comes first. `since` is the earliest time of death. */
  readonly list: (filter: PostmortemFilter) => Promise<readonly Postmortem[]>
}
export type PostmortemFilter = {
  /** Of the time of death; `until` itself is left out. */
  readonly since?: number
  readonly until?: number
  readonly cause?: string
  readonly kind?: string
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
export type Postmortem = {
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
/** One source as it was seen; the content stays as it came, so that a better rule can judge it again. */
export type EvidencePart = {
  readonly source: string
  readonly observed: 'seen' | 'none' | 'blind'
  readonly reason: string | null
  readonly content: Uint8Array | null
  /** The same source seen again has a higher one; 0 where it is not given. Not told when it is read. */
  readonly revision?: number
}
/** A source with more is stored as blind: the limit protects the store, and the loss is told. */
export const MAX_EVIDENCE_BYTES = 32 * 1024 * 1024

/** Runner pods that are known to live, so that who comes back after a pause can say what went meanwhile. */
export type Sightings = {
  /** The latest of each pod stands. */
  readonly put: (sightings: readonly Sighting[]) => Promise<void>
  readonly remove: (uids: readonly string[]) => Promise<void>
  /** In the order of their UIDs. */
  readonly page: (after: string | null, limit: number) => Promise<readonly Sighting[]>
}
export type Sighting = {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly node: string | null
  readonly pool: string | null
  readonly seenAt: number
  /** The pod as it was. */
  readonly object: unknown
}

/** Whom we have told what, so that nobody is told twice, and not too much within a time. */
export type Notices = {
  readonly claim: (notice: {
    readonly channel: string
    readonly key: string
    readonly at: number
  }) => Promise<'new' | 'repeated'>
  /** It could not be told after all: the next one may try again. */
  readonly release: (channel: string, key: string) => Promise<void>
  readonly has: (channel: string, key: string) => Promise<boolean>
  readonly count: (channel: string, since: number) => Promise<number>
}

export type Ledger = {
  /** Append-only: every destructive act, permitted or refused, with its proofs. */
  readonly append: (entry: LedgerEntry) => Promise<number>
  /** The latest entry comes first. */
  readonly list: (filter: {
    readonly since?: number
    readonly subject?: string
    readonly limit: number
  }) => Promise<readonly (LedgerEntry & { readonly id: number })[]>
}
export type LedgerEntry = {
  readonly at: number
  readonly act: string
  readonly subject: string
  readonly actor: string
  readonly outcome: 'permitted' | 'refused' | 'done' | 'failed'
  readonly proofs: readonly { readonly gate: string; readonly holds: boolean; readonly why: string }[]
}

export type Findings = {
  /** The present findings of one audit replace its former ones; what stays keeps its first time. */
  readonly replace: (audit: string, at: number, findings: readonly FindingRow[]) => Promise<void>
  readonly list: (filter: {
    readonly audit?: string
    readonly limit: number
  }) => Promise<
    readonly (FindingRow & { readonly audit: string; readonly firstSeenAt: number; readonly lastSeenAt: number })[]
  >
}
export type FindingRow = {
  readonly key: string
  readonly class: string
  readonly severity: string
  readonly document: unknown
}

export type Breakers = {
  readonly get: (key: string) => Promise<BreakerRow | null>
  readonly list: () => Promise<readonly BreakerRow[]>
  /** Compare-and-set on the generation; generation 0 means "there is none yet". */
  readonly put: (row: BreakerRow) => Promise<'committed' | 'stale'>
}
export type BreakerRow = {
  readonly key: string
  readonly generation: number
  readonly failures: number
  readonly openUntil: number | null
  readonly why: string | null
  readonly changedAt: number
}

export type Retention = {
  /**
   * Removes what is older than its age: a finished job with its history, a gone slot unless a job still waits for it.
   * Then the content of the oldest evidence, until the rest is within the bytes; the source stays and says that it is
   * blind because its content expired.
   */
  readonly sweep: (policy: RetentionPolicy, now: number) => Promise<RetentionReport>
}
export type RetentionPolicy = {
  readonly deliveriesMs: number
  readonly finishedJobsMs: number
  readonly postmortemsMs: number
  readonly ledgerMs: number
  readonly evidenceBytes: number
}
export type RetentionReport = {
  readonly deliveries: number
  readonly jobs: number
  readonly slots: number
  readonly postmortems: number
  readonly notices: number
  readonly evidenceParts: number
  readonly evidenceBytesLeft: number
  readonly ledger: number
}

export type Wakeups = {
  /** "Look again" about a scope, from any replica. Delivery is not promised; a loop must look on its own too. */
  readonly listen: (onWake: (scope: string) => void) => Promise<{ readonly stop: () => Promise<void> }>
}

/** One holder at a time. The promise of `lost` resolves when the lock can no longer be trusted. */
export type Leadership = {
  readonly campaign: (
    signal: AbortSignal,
  ) => Promise<{ readonly epoch: number; readonly lost: Promise<string>; readonly resign: () => Promise<void> } | null>
}

export class StoreUnavailable extends Error {
  readonly code = 'STORE_UNAVAILABLE'
}
