/** A kind of object by its place in the API. */
export type Resource = {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespaced: boolean
}

export const RESOURCES = {
  pods: inNamespaces('', 'v1', 'pods'),
  events: inNamespaces('', 'v1', 'events'),
  secrets: inNamespaces('', 'v1', 'secrets'),
  configMaps: inNamespaces('', 'v1', 'configmaps'),
  services: inNamespaces('', 'v1', 'services'),
  serviceAccounts: inNamespaces('', 'v1', 'serviceaccounts'),
  persistentVolumeClaims: inNamespaces('', 'v1', 'persistentvolumeclaims'),
  resourceQuotas: inNamespaces('', 'v1', 'resourcequotas'),
  limitRanges: inNamespaces('', 'v1', 'limitranges'),
  nodes: clusterWide('', 'v1', 'nodes'),
  namespaces: clusterWide('', 'v1', 'namespaces'),
  persistentVolumes: clusterWide('', 'v1', 'persistentvolumes'),
  deployments: inNamespaces('apps', 'v1', 'deployments'),
  replicaSets: inNamespaces('apps', 'v1', 'replicasets'),
  statefulSets: inNamespaces('apps', 'v1', 'statefulsets'),
  daemonSets: inNamespaces('apps', 'v1', 'daemonsets'),
  jobs: inNamespaces('batch', 'v1', 'jobs'),
  horizontalPodAutoscalers: inNamespaces('autoscaling', 'v2', 'horizontalpodautoscalers'),
  leases: inNamespaces('coordination.k8s.io', 'v1', 'leases'),
  endpointSlices: inNamespaces('discovery.k8s.io', 'v1', 'endpointslices'),
  podDisruptionBudgets: inNamespaces('policy', 'v1', 'poddisruptionbudgets'),
  networkPolicies: inNamespaces('networking.k8s.io', 'v1', 'networkpolicies'),
  runtimeClasses: clusterWide('node.k8s.io', 'v1', 'runtimeclasses'),
  priorityClasses: clusterWide('scheduling.k8s.io', 'v1', 'priorityclasses'),
  storageClasses: clusterWide('storage.k8s.io', 'v1', 'storageclasses'),
  customResourceDefinitions: clusterWide('apiextensions.k8s.io', 'v1', 'customresourcedefinitions'),
  admissionPolicies: clusterWide('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies'),
  admissionPolicyBindings: clusterWide('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicybindings'),
  autoscalingRunnerSets: inNamespaces('actions.github.com', 'v1alpha1', 'autoscalingrunnersets'),
  ephemeralRunnerSets: inNamespaces('actions.github.com', 'v1alpha1', 'ephemeralrunnersets'),
  ephemeralRunners: inNamespaces('actions.github.com', 'v1alpha1', 'ephemeralrunners'),
  autoscalingListeners: inNamespaces('actions.github.com', 'v1alpha1', 'autoscalinglisteners'),
  runnerPools: inNamespaces('signalbox.dev', 'v1alpha1', 'runnerpools'),
  machines: inNamespaces('cluster.x-k8s.io', 'v1beta1', 'machines'),
} as const satisfies Readonly<Record<string, Resource>>

function inNamespaces(group: string, version: string, plural: string): Resource {
  return { group, version, plural, namespaced: true }
}

function clusterWide(group: string, version: string, plural: string): Resource {
  return { group, version, plural, namespaced: false }
}
