import { textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { holdsRoom, isRunnerPod } from '#/core/fleet/node-room.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'

/** What holds the pod slots of some nodes. */
export type Slots = {
  readonly allocatable: number
  /** Pods that hold a slot and run, or will run. */
  readonly live: number
  /** Pods that hold a slot for nothing: stuck in deletion, or without an EphemeralRunner. */
  readonly stale: number
  readonly staleNames: readonly string[]
  /** Ended pods are still in the API but hold no slot. */
  readonly finished: readonly string[]
  /** Most first. */
  readonly consumers: readonly { readonly namespace: string; readonly pods: number }[]
}

type NodeSlots = {
  readonly live: number
  readonly stale: readonly string[]
  readonly finished: readonly string[]
  readonly consumers: ReadonlyMap<string, number>
}

export type CountSlots = (nodes: readonly NodeRecord[]) => Slots

/** Each node is counted once, however many lanes use it. */
export function slotCounter(fleet: Fleet): CountSlots {
  const isResidue = residueFinder(fleet)
  const byNode = new Map(fleet.nodes.map(({ name }) => [name, countNodeSlots(fleet.podsOn(name), isResidue)]))
  return (nodes) => {
    const parts = nodes.flatMap(({ name }) => byNode.get(name) ?? [])
    const stale = parts.flatMap((part) => part.stale)
    const consumers = new Map<string, number>()
    for (const part of parts) {
      for (const [namespace, pods] of part.consumers) consumers.set(namespace, (consumers.get(namespace) ?? 0) + pods)
    }
    return {
      allocatable: nodes.reduce((sum, { allocatable }) => sum + (allocatable.get('pods') ?? 0), 0),
      live: parts.reduce((sum, { live }) => sum + live, 0),
      stale: stale.length,
      staleNames: stale,
      finished: parts.flatMap((part) => part.finished),
      consumers: [...consumers].map(([namespace, pods]) => ({ namespace, pods })).toSorted((a, b) => b.pods - a.pods),
    }
  }
}

function countNodeSlots(pods: readonly PodRecord[], isResidue: (pod: PodRecord) => boolean): NodeSlots {
  const stale: string[] = []
  const finished: string[] = []
  const consumers = new Map<string, number>()
  let live = 0
  for (const pod of pods) {
    const name = `${pod.namespace}/${pod.name}`
    if (hasEnded(pod)) finished.push(name)
    else if (holdsRoom(pod)) {
      consumers.set(pod.namespace, (consumers.get(pod.namespace) ?? 0) + 1)
      if (isResidue(pod)) stale.push(name)
      else live += 1
    }
  }
  return { live, stale, finished, consumers }
}

/** The share of slots in use; 0 if there are none. */
export function heldShare({ allocatable, live, stale }: Slots): number {
  return allocatable === 0 ? 0 : (live + stale) / allocatable
}

function residueFinder(fleet: Fleet): (pod: PodRecord) => boolean {
  const records = new Set(fleet.runners.map(({ namespace, name }) => `${namespace}/${name}`))
  const knowsRunners = fleet.saw('kubernetes/ephemeralrunners')
  return (pod) => {
    // deletionTimestamp already includes the grace period.
    if (pod.deletedAt !== null && fleet.now - pod.deletedAt >= fleet.thresholds.stuckTerminating) return true
    if (!knowsRunners || !isRunnerPod(pod)) return false
    return !records.has(`${pod.namespace}/${textAt(pod.labels, 'runner-pod') ?? pod.name}`)
  }
}
