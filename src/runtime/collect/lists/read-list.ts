import { blind, seen } from '#/core/basics/observed.ts'
import type { Blind, BlindReason, Observed } from '#/core/basics/observed.ts'
import type { Kubernetes, ListRequest } from '#/ports/kubernetes.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'
import type { ListPlan } from './list-plan.ts'
import { asServed, servesKind } from './served-kinds.ts'
import type { ServedGroups } from './served-kinds.ts'

export type Listing = {
  readonly items: readonly KubeObject[]
  /** Where it was read; null for everywhere. */
  readonly namespaces: readonly string[] | null
  /** What of it was not read. */
  readonly remark: string | null
  /** The cluster does not serve the kind at all. */
  readonly isUnknownKind: boolean
}

export type ListReader = (plan: ListPlan, trim?: Trim) => Promise<Observed<Listing>>

/** Reads over all namespaces where that is allowed, and else in those that are named. */
export function createListReader(given: {
  readonly kubernetes: Kubernetes
  readonly served: Observed<ServedGroups>
  readonly namespaces: readonly string[]
  readonly signal: AbortSignal
}): ListReader {
  const { kubernetes, signal } = given
  let unreachable: BlindReason | null = null

  const ask = async (
    resource: Resource,
    { namespace, ...rest }: { readonly namespace?: string | undefined } & Manner,
  ): Promise<Observed<readonly KubeObject[]>> => {
    const request = { resource, ...rest, ...(namespace === undefined ? {} : { namespace }) }
    const read = await kubernetes.list(request, signal)
    // Each question would wait as long for nothing.
    if (read.kind === 'blind' && isOutOfReach(read.reason)) unreachable = read.reason
    return read.kind === 'seen' ? seen(read.value.items) : read
  }

  const readInNamespaces = async (
    resource: Resource,
    refused: BlindReason,
    manner: Manner,
  ): Promise<Observed<Listing>> => {
    const lists = await Promise.all(given.namespaces.map((namespace) => ask(resource, { namespace, ...manner })))
    const allowed = given.namespaces.filter((_, index) => lists[index]?.kind !== 'blind')
    if (allowed.length === 0) return { kind: 'blind', reason: refused }
    const items = lists.flatMap((list) => (list.kind === 'seen' ? list.value : []))
    const remark = `only of ${allowed.join(', ')}: ${refused.code} elsewhere`
    return seen({ items, namespaces: allowed, remark, isUnknownKind: false })
  }

  const explain = async (
    plan: ListPlan,
    resource: Resource,
    { reason, manner }: Pick<Blind, 'reason'> & { readonly manner: Manner },
  ): Promise<Observed<Listing>> => {
    const isDivisible = resource.namespaced && plan.namespace === undefined && reason.code === 'forbidden'
    if (isDivisible) return readInNamespaces(resource, reason, manner)
    const isUnserved = plan.isCustom === true && reason.code === 'unsupported'
    return isUnserved && (await servesKind(kubernetes, resource, signal)) === false
      ? UNKNOWN_KIND
      : { kind: 'blind', reason }
  }

  return async (plan, trim) => {
    if (unreachable !== null) return { kind: 'blind', reason: unreachable }
    const resource = plan.isCustom === true ? customKind(plan, given.served) : seen(plan.resource)
    if (resource.kind === 'blind') return resource
    if (resource.kind === 'none') return UNKNOWN_KIND
    const manner = listManner(plan, trim)
    const read = await ask(resource.value, { namespace: plan.namespace, ...manner })
    if (read.kind === 'blind') return explain(plan, resource.value, { reason: read.reason, manner })
    return seen(wholeListing(read.kind === 'seen' ? read.value : []))
  }
}

type Manner = Pick<ListRequest, 'trim' | 'pageSize'>

function listManner(plan: ListPlan, trim = plan.trim): Manner {
  const { pageSize } = plan
  return { ...(trim === undefined ? {} : { trim }), ...(pageSize === undefined ? {} : { pageSize }) }
}

const UNKNOWN_KIND: Observed<Listing> = seen({ ...wholeListing([]), isUnknownKind: true })

function wholeListing(items: readonly KubeObject[]): Listing {
  return { items, namespaces: null, remark: null, isUnknownKind: false }
}

function isOutOfReach({ code }: BlindReason): boolean {
  return code === 'unreachable' || code === 'unauthenticated'
}

function customKind({ name, resource }: ListPlan, served: Observed<ServedGroups>): Observed<Resource> {
  if (served.kind === 'blind') return served
  if (served.kind === 'none') return blind('unsupported', `the cluster does not say whether it serves ${name}`)
  const found = asServed(resource, served.value)
  return found === null ? { kind: 'none' } : seen(found)
}
