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

/** A node with what is asked for on it. Slots are the resource `pods`. */
export type NodeRoom = {
  readonly node: NodeRecord
  /** By pods that come with the node: of DaemonSets, and static ones. */
  readonly daemons: Amounts
  /** By all other pods that were counted. */
  readonly others: Amounts
  /** Allocatable less both; below 0 where the node is overcommitted. */
  readonly free: Amounts
}

/** Every pod that stands counts; a caller may leave some out (runners, for what the nodes could carry at all). */
export function roomsOf(fleet: Fleet, counts: (pod: PodRecord) => boolean = () => true): readonly NodeRoom[] {
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

/** A pod that ended, or is only remembered by its collector, holds neither slot nor room; one that is being deleted does. */
export function holdsRoom(pod: Pick<PodRecord, 'phase' | 'lastSeenAt'>): boolean {
  return !hasEnded(pod) && pod.lastSeenAt === null
}

export function isDaemonPod({ ownerKinds }: Pick<PodRecord, 'ownerKinds'>): boolean {
  return ownerKinds.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node')
}

/** Of a runner, or of a job that a runner started as a pod of its own. */
export function isRunnerPod({ ownerKinds, labels }: Pick<PodRecord, 'ownerKinds' | 'labels'>): boolean {
  return (
    ownerKinds.some(({ kind }) => kind === 'EphemeralRunner') ||
    textAt(labels, 'actions-ephemeral-runner') !== null ||
    textAt(labels, 'runner-pod') !== null
  )
}

const PRESSURES = ['DiskPressure', 'MemoryPressure', 'PIDPressure'] as const

/** Why the node takes no new pod at the moment, whatever room it has; null where it does. */
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
