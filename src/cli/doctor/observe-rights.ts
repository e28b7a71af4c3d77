import type { Resource } from '#/ports/kubernetes-resources.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

/** A right that observing needs, and what is lost without it. */
export type Right = {
  readonly resource: Resource
  readonly subresource?: string
  readonly verbs: readonly string[]
  /** Needed there alone. */
  readonly namespace?: string
  readonly cost: string
  /** `signalbox serve` records deaths with it; the others are for what people ask about the fleet. */
  readonly recording?: true
  /** Without it nothing works at all. */
  readonly vital?: true
}

/** Those of deploy/observe/clusterrole.yaml, which a test compares with these. */
export const OBSERVE_RIGHTS: readonly Right[] = [
  { resource: RESOURCES.pods, verbs: ['list'], cost: 'no death is seen', recording: true, vital: true },
  { resource: RESOURCES.pods, subresource: 'log', verbs: ['get'], cost: 'post-mortems have no log', recording: true },
  { ...listed('events', 'evictions, failed pulls and scheduling stay unexplained'), recording: true },
  listed('nodes', 'a node that went away cannot be told from a pod that was deleted'),
  {
    resource: RESOURCES.nodes,
    subresource: 'proxy',
    verbs: ['get'],
    cost: 'how full the disks of the nodes are is not known',
  },
  listed('autoscalingRunnerSets', 'scale sets are not audited'),
  listed('autoscalingListeners', 'a dead listener is not noticed'),
  listed('ephemeralRunnerSets', 'stuck generations are not noticed'),
  { ...listed('ephemeralRunners', 'which job a runner had is known from GitHub alone'), recording: true },
  listed('namespaces', 'an empty list of events cannot be told from one that went with its namespace'),
  { ...listed('resourceQuotas', 'a quota that holds runners back is not noticed'), recording: true },
  listed('limitRanges', 'a limit range that refuses runners is not noticed'),
  listed('deployments', 'the version and the flags of the controller are not known'),
  listed('daemonSets', 'what daemons take from a node is not counted'),
  listed('serviceAccounts', 'which credentials of registries the runners use is not known'),
  listed('persistentVolumeClaims', 'a scratch volume that is missing is not noticed'),
  listed('storageClasses', 'a class of volumes that is missing is not noticed'),
  listed('services', 'the build cache is not audited'),
  listed('endpointSlices', 'whether the build cache is ready is not known'),
  listed('horizontalPodAutoscalers', 'what scales beside the runners is not told'),
  listed('podDisruptionBudgets', 'what holds up the emptying of a node is not told'),
  listed('runtimeClasses', 'what a runtime adds to a pod is not counted'),
  { ...listed('leases', 'a node that fell silent is noticed late'), namespace: 'kube-node-lease' },
  listed('customResourceDefinitions', 'whether ARC is half installed is not told'),
  listed('runnerPools', 'the pools of signalbox itself are not audited'),
  listed('machines', 'machines of the Cluster API are not told'),
]

/** Those of deploy/observe/secrets.yaml. Whoever does not want to give them loses nothing but what they tell. */
export const SECRET_RIGHTS: readonly Right[] = [
  listed('secrets', 'whether credentials agree is not known (auth, pull-secrets, cache, gitlab)'),
]

function listed(name: keyof typeof RESOURCES, cost: string): Right {
  return { resource: RESOURCES[name], verbs: ['list'], cost }
}
