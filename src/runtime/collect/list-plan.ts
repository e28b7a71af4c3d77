import type { BundleResource } from '#/core/bundle-source.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

export type ListPlan = {
  readonly name: BundleResource
  readonly resource: Resource
  /** Read there alone. */
  readonly namespace?: string
  /** Somebody has to install the kind first. */
  readonly isCustom?: true
}

export const PODS: ListPlan = { name: 'pods', resource: RESOURCES.pods }
export const EVENTS: ListPlan = { name: 'events', resource: RESOURCES.events }
export const EPHEMERAL_RUNNERS: ListPlan = {
  name: 'ephemeralrunners',
  resource: RESOURCES.ephemeralRunners,
  isCustom: true,
}

/** What is read beside pods, events and runners. Secrets are not: nothing here is worth their being copied. */
export const OTHER_LISTS: readonly ListPlan[] = [
  { name: 'nodes', resource: RESOURCES.nodes },
  { name: 'namespaces', resource: RESOURCES.namespaces },
  { name: 'leases', resource: RESOURCES.leases, namespace: 'kube-node-lease' },
  { name: 'resourcequotas', resource: RESOURCES.resourceQuotas },
  { name: 'limitranges', resource: RESOURCES.limitRanges },
  { name: 'runtimeclasses', resource: RESOURCES.runtimeClasses },
  { name: 'ephemeralrunnersets', resource: RESOURCES.ephemeralRunnerSets, isCustom: true },
  { name: 'autoscalingrunnersets', resource: RESOURCES.autoscalingRunnerSets, isCustom: true },
  { name: 'autoscalinglisteners', resource: RESOURCES.autoscalingListeners, isCustom: true },
  { name: 'runnerpools', resource: RESOURCES.runnerPools, isCustom: true },
  { name: 'machines', resource: RESOURCES.machines, isCustom: true },
]

export const ALL_LISTS: readonly ListPlan[] = [PODS, EVENTS, EPHEMERAL_RUNNERS, ...OTHER_LISTS]
