import { isWithin } from '#/core/basics/within.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'

/** What an open death waits for. `kind` is a label of the metric, so it names no pod and no node. */
export type WaitingFor = { readonly kind: WaitingKind; readonly what: string }

export const WAITING_KINDS = [
  'place',
  'agent',
  'node',
  'journal',
  'kubernetes',
  'github',
  'audit-log',
  'judgement',
  'retry',
] as const
export type WaitingKind = (typeof WAITING_KINDS)[number]

export type Waiting = WaitingFor & { readonly since: number }

/** What each open death waits for, and since when. */
export type DeathProgress = {
  readonly during: <T>(uid: string, waitingFor: WaitingFor, work: () => Promise<T>) => Promise<T>
  /** What it has waited for longest. */
  readonly of: (uid: string) => Waiting | null
  /** Deaths by what they wait for. */
  readonly counts: () => ReadonlyMap<WaitingKind, ReadonlyMap<string, number>>
  /** Around what must happen before a death is stored. */
  readonly recording: <T>(work: () => Promise<T>) => Promise<T>
  /** A death has waited too long to be stored. */
  readonly isRecordingLate: () => boolean
}

/** A row is stored in tens of milliseconds when nothing is in the way. */
const RECORDED_WITHIN_MS = 500

export function createDeathProgress(clock: Pick<Clock, 'now'>): DeathProgress {
  const waits = new Map<string, Set<Waiting>>()
  const unrecorded = new Set<{ readonly since: number }>()
  const of = (uid: string): Waiting | null => {
    const [longest] = waits.get(uid) ?? []
    return longest ?? null
  }
  return {
    during: async (uid, waitingFor, work) => {
      const own = waits.get(uid) ?? new Set()
      const waiting = { ...waitingFor, since: clock.now() }
      waits.set(uid, own.add(waiting))
      try {
        return await work()
      } finally {
        own.delete(waiting)
        if (own.size === 0 && waits.get(uid) === own) waits.delete(uid)
      }
    },
    of,
    counts: () => {
      const counts = new Map<WaitingKind, Map<string, number>>()
      for (const uid of waits.keys()) {
        const waiting = of(uid)
        if (waiting === null) continue
        const ofKind = counts.get(waiting.kind) ?? new Map<string, number>()
        counts.set(waiting.kind, ofKind.set(waiting.what, (ofKind.get(waiting.what) ?? 0) + 1))
      }
      return counts
    },
    recording: async (work) => {
      const one = { since: clock.now() }
      unrecorded.add(one)
      try {
        return await work()
      } finally {
        unrecorded.delete(one)
      }
    },
    isRecordingLate: () => {
      const [oldest] = unrecorded
      return oldest !== undefined && !isWithin(RECORDED_WITHIN_MS, oldest.since, clock.now())
    },
  }
}

/** Fewer open deaths than this are no burst. */
const BURST = 5
const EVERY_MS = 5000

/** In a burst, a line from time to time that says how far it has come and what it waits for. */
export function createBurstLog(
  log: Log,
  progress: Pick<DeathProgress, 'counts'>,
): {
  readonly look: (totals: { readonly open: number; readonly finished: number }, now: number) => void
} {
  let finishedBefore = 0
  let saidAt = 0
  return {
    look: ({ open, finished }, now) => {
      if (open === 0) finishedBefore = finished
      if (open < BURST || isWithin(EVERY_MS, saidAt, now)) return
      saidAt = now
      const judged = finished - finishedBefore
      log.info(`judging deaths: ${judged} of ${judged + open} done`, { waiting: describe(progress.counts()) })
    },
  }
}

const MOST_NAMED = 5

function describe(counts: ReturnType<DeathProgress['counts']>): string {
  const all = counts
    .values()
    .flatMap((ofKind) => ofKind.entries())
    .toArray()
  const most = all.toSorted(([, a], [, b]) => b - a).slice(0, MOST_NAMED)
  return most.map(([what, count]) => `${count} for ${what}`).join(', ')
}
