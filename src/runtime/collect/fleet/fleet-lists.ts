import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import type { FleetPlan } from './fleet-plan.ts'
import type { ListPlan } from '#/runtime/collect/lists/list-plan.ts'
import type { Listing, ListReader } from '#/runtime/collect/lists/read-list.ts'
import type { Means, Places } from '#/runtime/collect/request/request.ts'
import { writeList } from '#/runtime/collect/lists/write-list.ts'

/** The lists of a fleet, each read once. What others have to look up in is held; the rest goes when it is written. */
export type FleetLists = {
  readonly read: (name: BundleResource, trim?: Trim) => Promise<Observed<Listing>>
  /** Holds these in place of what was read. */
  readonly hold: (name: BundleResource, listing: Observed<Listing>) => void
  readonly write: (name: BundleResource) => AsyncGenerator<BundleFile>
  /** Both at once, unless it was written before. */
  readonly take: (name: BundleResource) => AsyncGenerator<BundleFile>
  /** Of a list that was read and is held; none of one that is blind or was not wanted. */
  readonly items: (name: BundleResource) => readonly KubeObject[]
  /** Why nothing is known of it; null where it was read. */
  readonly why: (name: BundleResource) => BlindReason | null
}

const HELD: ReadonlySet<BundleResource> = new Set<BundleResource>([
  'pods',
  'nodes',
  'deployments',
  'serviceaccounts',
  'autoscalingrunnersets',
  'autoscalinglisteners',
  'ephemeralrunners',
])

const NOT_WANTED = blind('not-asked', 'it was not asked for')

export function createFleetLists(means: Means, { lists }: FleetPlan, reader: ListReader): FleetLists {
  const plans = new Map(lists.map((plan) => [plan.name, plan]))
  const held = new Map<BundleResource, Observed<Listing>>()
  const written = new Set<BundleResource>()

  const read: FleetLists['read'] = async (name, trim) => {
    const plan = plans.get(name)
    if (plan === undefined) return NOT_WANTED
    means.request.progress(`reading ${name}`)
    const listing = wholeOrBlind(plan, await reader(plan, trim), means.request.places)
    held.set(name, listing)
    return listing
  }
  async function* write(name: BundleResource): AsyncGenerator<BundleFile> {
    const [plan, listing] = [plans.get(name), held.get(name)]
    if (plan === undefined || listing === undefined || written.has(name)) return
    written.add(name)
    const items = listing.kind === 'seen' ? listing.value.items : []
    if (!HELD.has(name)) held.delete(name)
    yield* writeList(means, plan, { listing, items, isWhole: true })
  }
  return {
    read,
    write,
    hold: (name, listing) => held.set(name, listing),
    take: async function* take(name) {
      if (written.has(name)) return
      await read(name)
      yield* write(name)
    },
    items: (name) => {
      const listing = held.get(name)
      return listing?.kind === 'seen' ? listing.value.items : []
    },
    why: (name) => {
      const listing = held.get(name) ?? NOT_WANTED
      return listing.kind === 'blind' ? listing.reason : null
    },
  }
}

/**
 * A list of some namespaces is no list of the fleet: a listener that stands in another one would be missing. It counts
 * where somebody named the namespaces, all of them could be read, and something was there.
 */
export function wholeOrBlind(
  { name }: Pick<ListPlan, 'name'>,
  listing: Observed<Listing>,
  { namespaces, isInsideOnly }: Pick<Places, 'namespaces' | 'isInsideOnly'>,
): Observed<Listing> {
  if (listing.kind !== 'seen' || listing.value.namespaces === null) return listing
  const { namespaces: allowed, items } = listing.value
  if (isInsideOnly && allowed.length === namespaces.length && items.length > 0) return listing
  const rest = isInsideOnly && allowed.length === namespaces.length ? ', where there is none' : ''
  return blind('forbidden', `${name} may be read only in ${allowed.join(', ')}${rest}, and not over all namespaces`)
}

/** With more objects than were read. */
export function withMore(listing: Observed<Listing>, more: readonly KubeObject[]): Observed<Listing> {
  if (listing.kind !== 'seen' || more.length === 0) return listing
  return seen({ ...listing.value, items: [...listing.value.items, ...more] })
}
