import { describeRoom } from './describe-room.ts'
import type { LaneNumbers } from './lane-numbers.ts'
import type { Limit, Limiter } from './limiter.ts'
import { wantsMore } from './limiter.ts'
import type { LaneView } from './view.ts'
import { toLimiter } from './unschedulable.ts'
import type { Unschedulable } from './unschedulable.ts'
import { count, listSome } from './format.ts'

/** Kubernetes has no node for the pod, or would have none for the next one. */
export const scheduler: Limiter = (view, numbers) => refused(view, numbers) ?? full(view, numbers)

function refused({ lane }: LaneView, numbers: LaneNumbers): Limit | null {
  const own = numbers.unschedulable.filter(({ objections }) => toLimiter(objections) === 'scheduler')
  const [first] = own
  if (first === undefined) return null
  const resources = insufficient(own)
  const { ceiling } = numbers
  const name = [...resources.keys()][0]
  return {
    class: 'scheduler-resource-pressure',
    admits: numbers.held,
    evidence: [
      `${count(own.length, 'runner pod')} of lane ${lane.label} ${own.length === 1 ? 'has' : 'have'} no node: ${listSome(own.map(({ pod }) => pod.name))}`,
      first.message === '' ? 'the scheduler gave no reason' : first.message,
      ...(ceiling === null ? [] : [`the node autoscaler may not add a node: ${ceiling}`]),
    ],
    hint: hintFor(first, name, ceiling !== null),
    fields: { pods: own.length, insufficient: Object.fromEntries(resources) },
  }
}

/** On how many nodes each resource was short, most first. */
function insufficient(own: readonly Unschedulable[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { objections } of own) {
    for (const one of objections) {
      if (one.kind === 'resource') counts.set(one.resource, Math.max(counts.get(one.resource) ?? 0, one.nodes))
    }
  }
  return new Map([...counts].toSorted(([, a], [, b]) => b - a))
}

function hintFor({ pod }: Unschedulable, resource: string | undefined, isAtCeiling: boolean): string {
  const look = `kubectl describe pod -n ${pod.namespace} ${pod.name}`
  const never = 'a higher maxRunners only creates more pending pods'
  if (isAtCeiling) return `${look}; raise the limit of the node pool in source, or wait for runners to end: ${never}`
  if (resource === undefined) {
    return `${look}; the runner's nodeSelector, affinity or tolerations keep it off the nodes that have room (signalbox audit labels): ${never}`
  }
  return `${look}; add nodes with ${resource}, or lower the runner's request for ${resource} in source and check with signalbox audit capacity: ${never}`
}

function full({ lane }: LaneView, numbers: LaneNumbers): Limit | null {
  const { room, autoscaler, held } = numbers
  // Pod slots have their own limiter, and with a node autoscaler full nodes are no limit.
  if (room === null || autoscaler !== null || !wantsMore(numbers)) return null
  if (room.more > 0 || (room.moreIgnoringSlots > 0 && (room.byResource.get('pods') ?? 0) === 0)) return null
  const { resource, words: reasons } = describeRoom(room, numbers.templates)
  return {
    class: 'scheduler-resource-pressure',
    admits: held,
    evidence: [
      `none of ${count(room.nodes.length, 'node')} has room for another runner of lane ${lane.label}; ${held} run on them`,
      ...reasons,
    ],
    hint:
      resource === null
        ? `signalbox audit labels: no node that accepts pods fits the runner's nodeSelector, affinity and tolerations`
        : `signalbox audit capacity; add nodes with ${resource}, or lower the runner's request for it in source: a higher maxRunners only creates pending pods`,
    fields: { pods: 0, insufficient: resource === null ? {} : { [resource]: room.nodes.length } },
  }
}
