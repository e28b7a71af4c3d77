import { textAt, listAt, numberAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'

const PROGRAMS = /^(?:.*-)?(?:cluster-autoscaler|karpenter)(?:-.*)?$/
const KARPENTER_LABELS = ['karpenter.sh/nodepool', 'karpenter.sh/provisioner-name'] as const
const AUTOSCALER_REASONS: ReadonlySet<string> = new Set(['TriggeredScaleUp', 'NotTriggerScaleUp', 'Nominated'])

/** Where nodes are created on demand, full nodes are no limit: only the autoscaler's own maximum is. Null: no autoscaler found. */
export function findAutoscaler(fleet: Fleet): string | null {
  const node = fleet.nodes.find(({ labels }) => KARPENTER_LABELS.some((key) => textAt(labels, key) !== null))
  if (node !== undefined) return `node ${node.name} was created by Karpenter`
  const pod = fleet.pods.find(({ labels, phase }) => phase === 'Running' && PROGRAMS.test(programName(labels)))
  if (pod !== undefined) return `pod ${pod.namespace}/${pod.name} runs`
  const event = fleet.events.find(({ reason }) => AUTOSCALER_REASONS.has(reason))
  return event === undefined ? null : `an event ${event.reason} exists`
}

function programName(labels: Parameters<typeof textAt>[0]): string {
  return textAt(labels, 'app.kubernetes.io/name') ?? textAt(labels, 'app') ?? textAt(labels, 'k8s-app') ?? ''
}

export type PodAutoscaler = {
  readonly namespace: string
  readonly name: string
  readonly targetKind: string
  readonly target: string
  readonly max: number
  readonly current: number
  /** Its status says that it would scale higher. */
  readonly wantsMore: boolean
}

/** HorizontalPodAutoscalers of the fleet's namespaces that are at their maximum. */
export function autoscalersAtMax(fleet: Fleet): readonly PodAutoscaler[] {
  const { declared } = fleet
  const namespaces = new Set([
    ...fleet.sets.map(({ namespace }) => namespace),
    ...(declared.runnerNamespaces ?? []),
    ...(declared.gitlab?.namespace === undefined ? [] : [declared.gitlab.namespace]),
  ])
  return fleet
    .rows('horizontalpodautoscalers')
    .filter((row) => namespaces.has(textAt(row, 'metadata', 'namespace') ?? 'default'))
    .flatMap((row) => readAtMax(row) ?? [])
}

function readAtMax(row: Parameters<typeof textAt>[0]): PodAutoscaler | null {
  const max = numberAt(row, 'spec', 'maxReplicas')
  const current = numberAt(row, 'status', 'currentReplicas') ?? 0
  // With minReplicas equal to maxReplicas it is not meant to scale.
  if (max === null || current < max || numberAt(row, 'spec', 'minReplicas') === max) return null
  const limited = listAt(row, 'status', 'conditions').some(
    (condition) =>
      textAt(condition, 'type') === 'ScalingLimited' &&
      textAt(condition, 'status') === 'True' &&
      textAt(condition, 'reason') === 'TooManyReplicas',
  )
  return {
    namespace: textAt(row, 'metadata', 'namespace') ?? 'default',
    name: textAt(row, 'metadata', 'name') ?? '',
    targetKind: textAt(row, 'spec', 'scaleTargetRef', 'kind') ?? '',
    target: textAt(row, 'spec', 'scaleTargetRef', 'name') ?? '',
    max,
    current,
    wantsMore: limited,
  }
}
