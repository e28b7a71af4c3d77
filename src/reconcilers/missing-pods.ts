/**
 * Stuck: The pod of a slot is gone, and its end was not recorded: it was force-deleted while nobody watched.
 * Not caught elsewhere: The deletion is an event. If the watch was closed or the replica restarted, no second one comes.
 * Proof: The pod is missing in consecutive complete reads, and the API server, asked by name, has no pod of this UID. A
 *   list that was not empty and is, is not believed for ten minutes.
 * Threshold: Two reads and 30 s: a watch that resumes has shown every pod by then. A slot is at least a minute old,
 *   because another replica may have seen its pod first.
 */

import { printAge } from '#/core/basics/age.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import { check, slotSubject } from '#/core/recovery/recovery.ts'
import type { RecoveryLoop } from '#/core/recovery/recovery.ts'

export type MissingPod = {
  readonly slot: Slot
  /** Complete reads of the pods, one after the other, in which it was missing; a blind read begins the count again. */
  readonly missed: { readonly reads: number; readonly since: number }
  /** The last read had no pod at all, and one before it had some. */
  readonly emptySince: number | null
  /** Asked of the API server itself, by name: the UID of the pod that has the name now. */
  readonly asked: Observed<string>
}

export const MISSED_READS = 2
export const MISSED_FOR_MS = 30_000
/** A pod is in the store before every replica's watch shows it. */
export const YOUNG_MS = 60_000
export const EMPTY_FOR_MS = 10 * 60_000

export const missingPods: RecoveryLoop<MissingPod> = {
  id: 'missing-pods',
  decide: ({ slot, missed, emptySince, asked }, now) => {
    const limits = `${MISSED_READS} reads and ${formatDuration(MISSED_FOR_MS)} are needed`
    const absent = `missing in ${missed.reads} complete reads for ${printAge(missed.since, now)}; ${limits}`
    const isAbsent = missed.reads >= MISSED_READS && now - missed.since >= MISSED_FOR_MS
    const isBelieved = emptySince === null || now - emptySince >= EMPTY_FOR_MS
    const empty =
      emptySince === null ? 'the list has other pods' : `the list is empty since ${printAge(emptySince, now)}`
    return {
      loop: 'missing-pods',
      act: null,
      subject: slotSubject(slot),
      since: missed.since,
      checks: [
        check('old-enough', now - slot.appearedAt >= YOUNG_MS, { why: ageOf(slot, now), at: now }, now),
        check('complete-read', isBelieved ? true : null, { why: empty, at: now }, now),
        check('missing', isAbsent, { why: absent, at: now }, now),
        checkAsked(slot, asked, now),
      ],
      action: { kind: 'record', happening: { kind: 'slot-lost', at: now, uid: slot.uid } },
      leavesBehind: null,
    }
  },
}

function ageOf({ appearedAt }: Slot, now: number): string {
  return `the slot is ${printAge(appearedAt, now)} old; the minimum is ${formatDuration(YOUNG_MS)}`
}

function checkAsked({ uid, pod }: Slot, asked: Observed<string>, now: number) {
  const gate = 'identity'
  if (asked.kind === 'blind') return check(gate, null, { why: asked.reason.detail, at: now }, now)
  if (asked.kind === 'none') return check(gate, true, { why: `the API server has no pod ${pod}`, at: now }, now)
  const isOther = asked.value !== uid
  const why = isOther ? `pod ${pod} has another UID now: ${asked.value}` : `pod ${pod} exists with this UID`
  return check(gate, isOther, { why, at: now }, now)
}
