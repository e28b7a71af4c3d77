import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { isUnderWay } from '#/core/dispatch/job.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { intendedJob, isLive, slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { JobHistoryRow } from '#/ports/store/assignments.ts'
import type { BreakerRow } from '#/ports/store/breakers.ts'
import type { DeathRecord, Verdict } from '#/ports/store/deaths.ts'
import type { Delivery, DeliveryRow } from '#/ports/store/deliveries.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import type { FindingRow } from '#/ports/store/findings.ts'
import type { LivePod } from '#/ports/store/live-pods.ts'
import type { StoredToken } from '#/ports/store/tokens.ts'
import { Queue } from './queue.ts'

export type StoredDelivery = {
  readonly delivery: Delivery
  readonly attempts: number
  readonly nextAttemptAt: number
  /** Null: pending. */
  readonly settled: Pick<DeliveryRow, 'settledAt' | 'outcome' | 'why'> | null
}
export type StoredEvidence = { readonly part: EvidencePart; readonly storedBytes: number; readonly revision: number }
export type StoredDeath = {
  readonly postmortem: DeathRecord
  readonly evidence: ReadonlyMap<string, StoredEvidence>
  /** Former verdicts, the latest first. */
  readonly history: readonly Verdict[]
}
export type StoredFinding = FindingRow & {
  readonly audit: string
  readonly firstSeenAt: number
  readonly lastSeenAt: number
}

/** All that the memory store holds. Jobs and slots change through `putJob` and `putSlot` only, which keep the indexes. */
export class Tables {
  readonly jobs = new Map<number, Job>()
  readonly slots = new Map<string, Slot>()
  readonly history = new Map<number, JobHistoryRow[]>()
  readonly deliveries = new Map<string, StoredDelivery>()
  readonly postmortems = new Map<string, StoredDeath>()
  readonly livePods = new Map<string, LivePod>()
  /** By channel and key. */
  readonly notices = new Map<string, { readonly channel: string; readonly key: string; readonly at: number }>()
  readonly findings = new Map<string, ReadonlyMap<string, StoredFinding>>()
  readonly breakers = new Map<string, BreakerRow>()
  /** By digest. */
  readonly tokens = new Map<string, StoredToken>()
  readonly listeners = new Set<{ readonly onWake: (scope: string) => void }>()
  ledger: LedgerRow[] = []
  /** Of the lease of the leader; null where nobody has led. */
  leaderEpoch: number | null = null

  readonly queue = new Queue()
  readonly liveSlots = new Map<string, Slot>()
  /** The slot that is meant for a job, by job. */
  readonly meantFor = new Map<number, string>()
  /** The job that waits for a slot to start it, by slot. */
  readonly heldBy = new Map<string, number>()
  /** The slots whose runner has this name, live or gone. */
  readonly byRunnerName = new Map<string, Set<string>>()
  /** How many jobs hold a slot, by scope and repository. */
  readonly shares = new Map<string, Map<string, number>>()

  putJob(job: Job): void {
    this.dropJob(job.id)
    this.jobs.set(job.id, job)
    if (job.state === 'queued') this.queue.add(job)
    if (isUnderWay(job)) this.#share(job, 1)
    const slot = jobSlot(job)
    if (slot !== null) this.heldBy.set(slot, job.id)
  }

  dropJob(id: number): void {
    const job = this.jobs.get(id)
    if (job === undefined) return
    this.jobs.delete(id)
    if (job.state === 'queued') this.queue.remove(job)
    if (isUnderWay(job)) this.#share(job, -1)
    const slot = jobSlot(job)
    if (slot !== null && this.heldBy.get(slot) === id) this.heldBy.delete(slot)
  }

  putSlot(slot: Slot): void {
    this.dropSlot(slot.uid)
    this.slots.set(slot.uid, slot)
    const runner = slotRunner(slot)
    if (runner !== null) this.#named(runner.name).add(slot.uid)
    if (!isLive(slot)) return
    this.liveSlots.set(slot.uid, slot)
    const job = intendedJob(slot)
    if (job !== null) this.meantFor.set(job, slot.uid)
  }

  dropSlot(uid: string): void {
    const slot = this.slots.get(uid)
    if (slot === undefined) return
    this.slots.delete(uid)
    this.liveSlots.delete(uid)
    const runner = slotRunner(slot)
    if (runner !== null) this.#named(runner.name).delete(uid)
    const job = intendedJob(slot)
    if (job !== null && this.meantFor.get(job) === uid) this.meantFor.delete(job)
  }

  #named(runnerName: string): Set<string> {
    const uids = this.byRunnerName.get(runnerName) ?? new Set()
    this.byRunnerName.set(runnerName, uids)
    return uids
  }

  #share({ scope, repository }: Job, change: 1 | -1): void {
    const shares = this.shares.get(scope) ?? new Map<string, number>()
    const count = (shares.get(repository) ?? 0) + change
    if (count === 0) shares.delete(repository)
    else shares.set(repository, count)
    this.shares.set(scope, shares)
  }
}

/** The slot that holds the claim of a job that waits to be started. */
export function jobSlot(job: Job): string | null {
  return job.state === 'claimed' || job.state === 'minted' ? job.slot : null
}

/** The order of `collate "C"` for the ASCII keys that we have. */
export function byText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
