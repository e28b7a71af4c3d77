import { decideAssignment } from '#/core/dispatch/assignment.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { Assignments } from '#/ports/store/assignments.ts'

export type WarmSlotEnd =
  /** No job has it, and none will. */
  | { readonly kind: 'ended' }
  /** It was given a job first: its pod stays. */
  | { readonly kind: 'taken'; readonly slot: Slot }
  | { readonly kind: 'absent' }

/**
 * Ends a slot that no job has, by compare-and-set: whoever comes second, dispatch or we, finds out. After `ended` its pod
 * can be removed whenever that may be, also by somebody else after a crash: what asks for a job with it gets none.
 */
export async function endWarmSlot(
  assignments: Pick<Assignments, 'slot' | 'commit'>,
  uid: string,
  at: number,
): Promise<WarmSlotEnd> {
  for (;;) {
    const slot = await assignments.slot(uid)
    if (slot === null) return { kind: 'absent' }
    if (slot.state === 'ended' || slot.state === 'lost') {
      // One that had a runner may be executing, whatever was recorded.
      return slot.runner === null ? { kind: 'ended' } : { kind: 'taken', slot }
    }
    if (slot.state !== 'warm') return { kind: 'taken', slot }
    const involved = { job: null, slot, meantForJob: null, meantForSlot: null }
    const changes = decideAssignment({ kind: 'slot-ended', at, uid }, involved)
    if ((await assignments.commit(changes)) === 'committed') return { kind: 'ended' }
  }
}
