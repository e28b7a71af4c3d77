import { readEvent } from '#/core/kubernetes/event-facts.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import { listFile } from './list-file.ts'
import type { ListPlan } from './list-plan.ts'
import type { Listing } from './read-list.ts'
import type { Means } from '#/runtime/collect/request/request.ts'

export type WriteOrder = {
  readonly listing: Observed<Listing>
  readonly items: readonly object[]
  /** Kept before others where there is not room for all. */
  readonly isNear?: (item: object) => boolean
  /** Who counts what is in the list must not be given a part of it: a list that does not fit is blind. */
  readonly isWhole?: true
}

export async function* writeList(
  { request, answers }: Means,
  { name, resource }: ListPlan,
  { listing, items, isNear = () => false, isWhole }: WriteOrder,
): AsyncGenerator<BundleFile> {
  const source = `kubernetes/${name}`
  if (listing.kind === 'blind') return answers.blind(source, listing.reason)
  const { file, remark } = listFile(name, items, { isNear })
  const seenList = listing.kind === 'seen' ? listing.value : null
  if (seenList?.isUnknownKind === true) answers.unknownKind(source, resource.group)
  else if (isWhole === true && remark !== null) answers.blind(source, { code: 'too-large', detail: remark })
  else {
    const remarks = [seenList?.remark ?? null, remark].filter((text) => text !== null)
    const from = name === 'events' ? eventsFrom(items, request.clock.now()) : null
    answers.looked(source, { from, remark: remarks.length === 0 ? null : remarks.join('; ') })
  }
  yield file
}

/**
 * The server drops events after a TTL that it does not report. Coverage starts at the oldest event; before
 * that, nothing is known. A cluster without any event is no witness of anything but the present.
 */
export function eventsFrom(events: readonly object[], now: number): number {
  const times = events.flatMap((event) => readEvent(event).lastAt ?? [])
  return times.reduce((oldest, at) => Math.min(oldest, at), now)
}
