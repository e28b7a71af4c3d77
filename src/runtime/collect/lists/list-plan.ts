import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Trim } from '#/ports/kubernetes-object.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { withoutSchema } from './trim-object.ts'

export type ListPlan = {
  readonly name: BundleResource
  readonly resource: Resource
  /** Read there alone. */
  readonly namespace?: string
  /** Somebody has to install the kind first. */
  readonly isCustom?: true
  /** Default: `withoutBulk`. */
  readonly trim?: Trim
  readonly pageSize?: number
}

export const PODS: ListPlan = { name: 'pods', resource: RESOURCES.pods }
export const EVENTS: ListPlan = { name: 'events', resource: RESOURCES.events }
export const EPHEMERAL_RUNNERS: ListPlan = {
  name: 'ephemeralrunners',
  resource: RESOURCES.ephemeralRunners,
  isCustom: true,
}

/** What is read beside pods, events and runners. Secrets are not: of one runner nothing is worth their being copied. */
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

/** A definition holds the schema of its kind, and a few have a megabyte of it. */
const DEFINITIONS_A_PAGE = 20

/** What is read of a whole fleet beside that. Secrets are a matter of their own. */
export const FLEET_LISTS: readonly ListPlan[] = [
  ...ALL_LISTS,
  { name: 'serviceaccounts', resource: RESOURCES.serviceAccounts },
  { name: 'persistentvolumeclaims', resource: RESOURCES.persistentVolumeClaims },
  { name: 'storageclasses', resource: RESOURCES.storageClasses },
  { name: 'deployments', resource: RESOURCES.deployments },
  { name: 'daemonsets', resource: RESOURCES.daemonSets },
  { name: 'services', resource: RESOURCES.services },
  { name: 'endpointslices', resource: RESOURCES.endpointSlices },
  { name: 'horizontalpodautoscalers', resource: RESOURCES.horizontalPodAutoscalers },
  { name: 'poddisruptionbudgets', resource: RESOURCES.podDisruptionBudgets },
  {
    name: 'customresourcedefinitions',
    resource: RESOURCES.customResourceDefinitions,
    trim: withoutSchema,
    pageSize: DEFINITIONS_A_PAGE,
  },
]
