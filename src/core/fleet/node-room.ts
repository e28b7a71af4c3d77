import { listAt, textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { printTaint, tolerates } from '#/core/kubernetes/placement.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import { podRequests } from '#/core/kubernetes/pod-request.ts'
import type { Amounts } from '#/core/kubernetes/quantity.ts'
import { addAmounts, minusAmounts } from '#/core/kubernetes/quantity.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'

/** A node with the requests of its pods. Pod slots are the resource `pods`. */
export type NodeRoom = {
  readonly node: NodeRecord
  /** Requests of DaemonSet pods and static pods. */
  readonly daemons: Amounts
  /** Requests of all other counted pods. */
  readonly others: Amounts
  /** Allocatable minus both; below 0 if the node is overcommitted. */
  readonly free: Amounts
}

/** Counts every pod that holds room; a caller may leave some out (for example runners). */
export function countRooms(fleet: Fleet, counts: (pod: PodRecord) => boolean = () => true): readonly NodeRoom[] {
  return fleet.nodes.map((node) => {
    const daemons: Amounts[] = []
    const others: Amounts[] = []
    for (const pod of fleet.podsOn(node.name)) {
      if (holdsRoom(pod) && counts(pod)) {
        const into = isDaemonPod(pod) ? daemons : others
        into.push(podRequests(pod.spec, fleet.overheads))
      }
    }
    const taken = { daemons: addAmounts(...daemons), others: addAmounts(...others) }
    return { node, ...taken, free: minusAmounts(minusAmounts(node.allocatable, taken.daemons), taken.others) }
  })
}

/** An ended pod, or one that is only in the collector's records, holds neither slot nor room; a terminating one does. */
export function holdsRoom(pod: Pick<PodRecord, 'phase' | 'lastSeenAt'>): boolean {
  return !hasEnded(pod) && pod.lastSeenAt === null
}

export function isDaemonPod({ ownerKinds }: Pick<PodRecord, 'ownerKinds'>): boolean {
  return ownerKinds.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node')
}

/** A runner's pod, or a job pod that a runner started. */
export function isRunnerPod({ ownerKinds, labels }: Pick<PodRecord, 'ownerKinds' | 'labels'>): boolean {
  return (
    ownerKinds.some(({ kind }) => kind === 'EphemeralRunner') ||
    textAt(labels, 'actions-ephemeral-runner') !== null ||
    textAt(labels, 'runner-pod') !== null
  )
}

const PRESSURES = ['DiskPressure', 'MemoryPressure', 'PIDPressure'] as const

/** Why the node accepts no new pod now, no matter how much room it has; null if it does. */
export function closedBy(node: NodeRecord, spec: unknown): string | null {
  if (!node.isReady) return 'not ready'
  const pressure = PRESSURES.find((type) => conditionAs(node, type, 'True') !== null)
  if (pressure !== undefined) return pressure
  const tolerations = listAt(spec, 'tolerations')
  const own = node.taints.find(
    (taint) =>
      taint.key.startsWith('node.kubernetes.io/') &&
      taint.key !== 'node.kubernetes.io/unschedulable' &&
      taint.effect !== 'PreferNoSchedule' &&
      !tolerates(tolerations, taint),
  )
  return own === undefined ? null : printTaint(own)
}
