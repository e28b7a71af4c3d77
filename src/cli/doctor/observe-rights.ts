import type { Resource } from '#/ports/kubernetes-resources.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

/** A right that signalbox needs to observe, and what is lost without it. */
export type Right = {
  readonly resource: Resource
  readonly subresource?: string
  readonly verbs: readonly string[]
  /** Needed only there. */
  readonly namespace?: string
  readonly cost: string
  /** `signalbox serve` needs it to record deaths; the others are only for audits. */
  readonly recording?: true
  /** Without it nothing works. */
  readonly vital?: true
}

/** The same as deploy/observe/clusterrole.yaml; a test compares them. */
export const OBSERVE_RIGHTS: readonly Right[] = [
  { resource: RESOURCES.pods, verbs: ['list'], cost: 'no death is seen', recording: true, vital: true },
  {
    resource: RESOURCES.pods,
    subresource: 'log',
    verbs: ['get'],
    cost: 'deaths are recorded without logs',
    recording: true,
  },
  { ...listed('events', 'evictions, failed pulls and scheduling problems cannot be explained'), recording: true },
  listed('nodes', 'a lost node cannot be distinguished from a deleted pod'),
  {
    resource: RESOURCES.nodes,
    subresource: 'proxy',
    verbs: ['get'],
    cost: 'disk usage of the nodes is not known',
  },
  listed('autoscalingRunnerSets', 'scale sets are not audited'),
  listed('autoscalingListeners', 'a dead listener is not noticed'),
  listed('ephemeralRunnerSets', 'stuck generations are not noticed'),
  { ...listed('ephemeralRunners', 'the job of a runner is known only from GitHub'), recording: true },
  listed('namespaces', 'an empty list of events cannot be distinguished from events deleted with their namespace'),
  { ...listed('resourceQuotas', 'a quota that limits runners is not noticed'), recording: true },
  listed('limitRanges', 'a limit range that refuses runners is not noticed'),
  listed('deployments', 'the version and the flags of the controller are not known'),
  listed('daemonSets', 'the resources of DaemonSets are not counted'),
  listed('serviceAccounts', 'which registry credentials the runners use is not known'),
  listed('persistentVolumeClaims', 'a missing scratch volume is not noticed'),
  listed('storageClasses', 'a missing storage class is not noticed'),
  listed('services', 'the build cache is not audited'),
  listed('endpointSlices', 'whether the build cache is ready is not known'),
  listed('horizontalPodAutoscalers', 'autoscalers that compete with the runners are not reported'),
  listed('podDisruptionBudgets', 'what blocks the draining of a node is not reported'),
  listed('runtimeClasses', 'the overhead of a runtime class is not counted'),
  { ...listed('leases', 'a node that stops reporting is noticed late'), namespace: 'kube-node-lease' },
  listed('customResourceDefinitions', 'an incomplete installation of ARC is not reported'),
  listed('runnerPools', 'the pools of signalbox itself are not audited'),
  listed('machines', 'Cluster API machines are not reported'),
]

/** The same as deploy/observe/secrets.yaml. Optional: only these facts are lost without them. */
export const SECRET_RIGHTS: readonly Right[] = [
  listed('secrets', 'whether credentials agree is not known (auth, pull-secrets, cache, gitlab)'),
]

function listed(name: keyof typeof RESOURCES, cost: string): Right {
  return { resource: RESOURCES[name], verbs: ['list'], cost }
}
