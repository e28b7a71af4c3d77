import type { Fields } from '#/core/basics/fields.ts'

export type SetChanges = {
  readonly namespace?: string
  readonly version?: string
  /** Spec of the set. */
  readonly spec?: Fields
  /** Spec of the runner pods. */
  readonly pod?: Fields
  /** The runner container. */
  readonly runner?: Fields
  readonly metadata?: Fields
}

/** A healthy AutoscalingRunnerSet as the chart renders it, except for what is given. */
export function buildSet(name: string, changes: SetChanges = {}): Fields {
  const { namespace = 'arc-runners', version = '0.14.2', spec = {}, pod = {}, runner = {}, metadata = {} } = changes
  return {
    apiVersion: 'actions.github.com/v1alpha1',
    kind: 'AutoscalingRunnerSet',
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      labels: { 'app.kubernetes.io/version': version },
      ...metadata,
    },
    spec: {
      githubConfigUrl: 'https://github.com/example-org',
      minRunners: 0,
      maxRunners: 4,
      template: {
        spec: {
          terminationGracePeriodSeconds: 60,
          containers: [
            {
              name: 'runner',
              image: 'ghcr.io/actions/actions-runner:2.336.0',
              command: ['/home/runner/run.sh'],
              env: [{ name: 'ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT', value: '1' }],
              resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } },
              ...runner,
            },
          ],
          ...pod,
        },
      },
      ...spec,
    },
  }
}

export type NodeChanges = {
  readonly labels?: Fields
  readonly taints?: readonly Fields[]
  readonly allocatable?: Fields
  readonly isCordoned?: boolean
  readonly isReady?: boolean
}

export function buildNode(name: string, changes: NodeChanges = {}): Fields {
  const { labels = {}, taints = [], allocatable = {}, isCordoned = false, isReady = true } = changes
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/os': 'linux', ...labels } },
    spec: { taints, ...(isCordoned ? { unschedulable: true } : {}) },
    status: {
      allocatable: { cpu: '4', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi', ...allocatable },
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    },
  }
}

/** A pod on a node, with an owner. */
export function podOn(
  node: string,
  name: string,
  changes: {
    readonly owner?: string
    readonly requests?: Fields
    readonly phase?: string
    readonly namespace?: string
  } = {},
): Fields {
  const { owner = 'ReplicaSet', requests = {}, phase = 'Running', namespace = 'other' } = changes
  return {
    metadata: { name, namespace, uid: `uid-${name}`, ownerReferences: [{ kind: owner, name: `${name}-owner` }] },
    spec: { nodeName: node, containers: [{ name: 'main', resources: { requests } }] },
    status: { phase },
  }
}
