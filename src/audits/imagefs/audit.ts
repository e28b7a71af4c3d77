import { readDiskLimits, readFileSystems, isSingle, nearEvictions, usedShare } from './file-systems.ts'
import { at } from '#/core/basics/fields.ts'
import { askedSets } from '#/core/audit/asked-sets.ts'
import type { Audit, Question } from '#/core/audit/audit.ts'
import { blindFinding } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { readLimitRange, withDefaults } from '#/core/kubernetes/limit-range.ts'
import type { LimitRange } from '#/core/kubernetes/limit-range.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { holdsRoom } from '#/core/fleet/node-room.ts'
import { podRequests } from '#/core/kubernetes/pod-request.ts'
import { formatAmount, parseQuantity } from '#/core/kubernetes/quantity.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import { formatBytes } from '#/core/basics/bytes.ts'

const STORAGE = 'ephemeral-storage'

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`

function aboutNode(name: string): Pick<Finding, 'subject'> {
  return { subject: { kind: 'Node', name } }
}

function pressureFindings(node: NodeRecord): readonly Finding[] {
  const condition = conditionAs(node, 'DiskPressure', 'True')
  if (condition === null) return []
  return [
    {
      class: 'disk-pressure',
      severity: 'critical',
      ...aboutNode(node.name),
      evidence: [`DiskPressure is True${condition.message === null ? '' : `: ${condition.message}`}`],
      hint: `kubectl describe node ${node.name}: it is evicting pods now; remove unused images and ended pods there, or cordon it (kubectl cordon ${node.name}) until it has room`,
    },
  ]
}

function diskFindings(fleet: Fleet, node: string): readonly Finding[] {
  const stats = fleet.snapshot.stats.get(node)
  if (stats?.kind !== 'seen') return []
  const systems = readFileSystems(stats.value)
  if (!systems.some(({ name }) => name === 'nodefs'))
    return [blindFinding(`kubernetes/stats/${node}`, "the summary has no size of the node's file system")]
  const configz = fleet.snapshot.configz.get(node)
  const limits = readDiskLimits(configz?.kind === 'seen' ? configz.value : null, fleet.thresholds)
  const whose = (isOwn: boolean): string => (isOwn ? "the kubelet's own" : "Kubernetes' default")
  const image = systems.find(({ name }) => name === 'imagefs') ?? systems[0]
  const evictions = nearEvictions(systems, limits, fleet.thresholds.evictionMargin)
  const sizes = systems.map(
    ({ name, available, capacity }) => `${name} has ${formatBytes(available)} of ${formatBytes(capacity)} free`,
  )
  return [
    ...(evictions.length === 0
      ? []
      : [
          {
            class: 'eviction-imminent',
            severity: 'warning' as const,
            ...aboutNode(node),
            evidence: [
              ...evictions.map(
                ({ signal, free, threshold }) =>
                  `${signal} is at ${percent(free)}; pods are evicted below ${percent(threshold)} (${whose(limits.isOwnEviction)} threshold)`,
              ),
              ...sizes,
            ],
            hint: `free space on ${node} (ended pods, unused images: crictl rmi --prune), or give its runners ephemeral-storage limits that fit; persistent volumes do not count here`,
            fields: { signals: evictions },
          },
        ]),
    ...(image !== undefined && usedShare(image) >= limits.imageGc - 1e-9
      ? [
          {
            class: 'gc-imminent',
            severity: 'warning' as const,
            ...aboutNode(node),
            evidence: [
              `${image.name} is ${percent(usedShare(image))} full; the kubelet deletes images above ${percent(limits.imageGc)} (${whose(limits.isOwnGc)} threshold)`,
            ],
            hint: `the next runners on ${node} will have to pull images again: enlarge its image file system, or use fewer and smaller runner images`,
            fields: { used: usedShare(image), threshold: limits.imageGc },
          },
        ]
      : []),
    ...(isSingle(systems)
      ? [
          {
            class: 'single-filesystem',
            severity: 'info' as const,
            ...aboutNode(node),
            evidence: ['images, logs and emptyDir volumes share one file system', ...sizes.slice(0, 1)],
            hint: 'a job that fills its work folder also uses up the space for images; a separate file system for images avoids that',
          },
        ]
      : []),
  ]
}

function overcommitFindings(fleet: Fleet, node: NodeRecord): readonly Finding[] {
  const allocatable = node.allocatable.get(STORAGE)
  if (allocatable === undefined || !fleet.saw('kubernetes/pods')) return []
  const running = fleet.podsOn(node.name).filter(holdsRoom)
  const requested = running.reduce((sum, { spec }) => sum + (podRequests(spec, fleet.overheads).get(STORAGE) ?? 0), 0)
  if (requested <= allocatable) return []
  return [
    {
      class: 'ephemeral-overcommit',
      severity: 'warning',
      ...aboutNode(node.name),
      evidence: [
        `${running.length} pods request ${formatAmount(STORAGE, requested)} of ephemeral storage, ${formatAmount(STORAGE, allocatable)} is allocatable`,
      ],
      hint: `lower the ephemeral-storage requests of the runners on ${node.name}, or move a lane to another pool: pods that use their share can be evicted`,
      fields: { requested, allocatable },
    },
  ]
}

function hasStorage(container: unknown): boolean {
  const resources = at(container, 'resources')
  return ['requests', 'limits'].some((kind) => (parseQuantity(at(resources, kind, STORAGE)) ?? 0) > 0)
}

/** A LimitRange of the namespace fills in what the template leaves out. */
function unboundedFindings(set: ScaleSet, ranges: readonly LimitRange[]): readonly Finding[] {
  const own = ranges.filter(({ namespace }) => namespace === set.namespace)
  const template = withDefaults(set.template, own)
  const runner = templateRunner(template)
  if (runner === null || hasStorage(runner) || set.deletedAt !== null) return []
  return [
    {
      class: 'unbounded-ephemeral-requests',
      severity: 'warning',
      subject: { kind: set.kind, namespace: set.namespace, name: set.name },
      evidence: ['the runner container neither requests nor limits ephemeral-storage'],
      hint: `in the values of ${set.name}: set resources.requests.ephemeral-storage and limits.ephemeral-storage of the runner container; under pressure a pod above its request of 0 is evicted first`,
    },
  ]
}

function unbounded(fleet: Fleet, question: Question): readonly Finding[] {
  const ranges = fleet.rows('limitranges').map(readLimitRange)
  return askedSets(fleet, question).flatMap((set) => unboundedFindings(set, ranges))
}

function isWanted({ nodes }: Question, name: string): boolean {
  return nodes.length === 0 || nodes.includes(name)
}

export const imagefs: Audit = {
  id: 'imagefs',
  asks: "is the kubelet's disk the limit?",
  about:
    "Compares each kubelet's file system statistics with that kubelet's own thresholds. Persistent volumes do not count. What a pod may use comes from its own requests and limits, never from the cluster total.",
  reads: [
    { source: 'kubernetes/nodes', weight: 'needed', gives: 'which nodes exist, DiskPressure, what is allocatable' },
    { source: 'kubernetes/stats', weight: 'needed', gives: 'how full the file systems of a node are' },
    { source: 'kubernetes/configz', weight: 'useful', gives: "the kubelet's own thresholds" },
    { source: 'kubernetes/pods', weight: 'needed', gives: 'what the pods of a node request' },
    { source: 'kubernetes/runtimeclasses', weight: 'useful', gives: 'the overhead of a runtime class' },
    { source: 'kubernetes/autoscalingrunnersets', weight: 'useful', gives: 'what runners request' },
    { source: 'kubernetes/limitranges', weight: 'useful', gives: 'the defaults of a namespace' },
  ],
  classes: [
    {
      class: 'gc-imminent',
      severity: 'warning',
      meaning: 'the image file system is above the threshold at which the kubelet deletes images',
      next: 'Enlarge the image file system, or use fewer and smaller images: the next runner pulls every deleted image again.',
    },
    {
      class: 'eviction-imminent',
      severity: 'warning',
      meaning: 'free space is within two points of the threshold below which the kubelet evicts pods',
      next: 'Free space on the node, or limit what its pods may write. An eviction kills running jobs and ignores disruption budgets.',
    },
    {
      class: 'disk-pressure',
      severity: 'critical',
      meaning: 'the node reports DiskPressure: it evicts pods and accepts no new ones',
      next: 'Free space there now, or cordon the node and let its jobs finish.',
    },
    {
      class: 'single-filesystem',
      severity: 'info',
      meaning: 'images and the work of jobs share one file system',
      next: 'No action needed. With a separate disk for images a job cannot use up their space.',
    },
    {
      class: 'unbounded-ephemeral-requests',
      severity: 'warning',
      meaning: 'the runners of a set neither request nor limit ephemeral storage',
      next: 'Set requests and limits for ephemeral-storage in the template of the set.',
    },
    {
      class: 'ephemeral-overcommit',
      severity: 'warning',
      meaning: 'the pods of a node request more ephemeral storage than is allocatable',
      next: 'Lower the requests or move a lane to another pool.',
    },
  ],
  applies: () => true,
  examine: (fleet, question) => {
    const nodes = fleet.nodes.filter(({ name }) => isWanted(question, name))
    const measured = new Set([...nodes.map(({ name }) => name), ...fleet.snapshot.stats.keys()])
    return [
      ...nodes.flatMap(pressureFindings),
      ...nodes.flatMap((node) => overcommitFindings(fleet, node)),
      ...[...measured].filter((name) => isWanted(question, name)).flatMap((name) => diskFindings(fleet, name)),
      ...(question.nodes.length > 0 ? [] : unbounded(fleet, question)),
    ]
  },
}
