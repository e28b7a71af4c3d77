import { missingPods, MISSED_READS } from '#/reconcilers/missing-pods.ts'
import { LIVE_STATES, MOST_ROWS } from './look-at-jobs.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { Found, Look } from './means.ts'
import type { RecoveryMemory } from './memory.ts'
import { blind } from '#/core/basics/observed.ts'

/** Slots whose pod the watch does not have. While it is blind nothing is counted, and what was counted is forgotten. */
export async function lookAtPods({ means, memory, now, signal }: Look): Promise<readonly Found[]> {
  const read = means.pods.all()
  if (read.kind === 'blind') {
    memory.missed.clear()
    memory.empty = null
    return []
  }
  // The slots after the pods: a slot that is younger than the list cannot be missing in it.
  const slots = await means.assignments.slots({ states: LIVE_STATES, limit: MOST_ROWS })
  const there = new Set(read.kind === 'seen' ? read.value.map(({ metadata }) => metadata.uid) : [])
  memory.empty = there.size > 0 ? null : (memory.empty ?? { since: now })
  const found: Found[] = []
  const emptySince = memory.empty?.since ?? null
  for (const [slot, missed] of countMissed(
    memory,
    slots.filter(({ uid }) => !there.has(uid)),
    now,
  )) {
    const isLikely = missed.reads >= MISSED_READS
    const asked = isLikely ? await means.askPod(slot, signal) : blind('not-asked', 'the API server is asked later')
    found.push({ recovery: missingPods.decide({ slot, missed, emptySince, asked }, now), at: null })
  }
  return found
}

/** In how many reads, one after the other, each was missing. */
function countMissed(memory: RecoveryMemory, slots: readonly Slot[], now: number) {
  const known = new Map(memory.missed)
  memory.missed.clear()
  return slots.map((slot) => {
    const before = known.get(slot.uid)
    const missed = { reads: (before?.reads ?? 0) + 1, since: before?.since ?? now }
    memory.missed.set(slot.uid, missed)
    return [slot, missed] as const
  })
}
