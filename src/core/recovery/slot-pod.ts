import type { Slot } from '#/core/dispatch/slot.ts'

/** The pod of a claim, by its UID: another pod of the same name is another slot. */
export type SlotPod = { readonly isGone: boolean; readonly why: string; readonly at: number }

/** `slot` null: the store has none of this UID any more. `ended`: the cluster shows that this pod has ended. */
export function readSlotPod(slot: Slot | null, ended: { readonly at: number } | null, now: number): SlotPod {
  if (slot === null) return { isGone: true, why: 'the store has no such slot any more', at: now }
  const { uid, pod } = slot
  if (slot.state === 'ended') return { isGone: true, why: `pod ${pod} (${uid}) has ended`, at: slot.endedAt }
  if (slot.state === 'lost') return { isGone: true, why: `pod ${pod} (${uid}) was lost`, at: slot.endedAt }
  if (ended !== null) return { isGone: true, why: `pod ${pod} (${uid}) has ended`, at: ended.at }
  return { isGone: false, why: `pod ${pod} (${uid}) is not known to have ended`, at: now }
}
