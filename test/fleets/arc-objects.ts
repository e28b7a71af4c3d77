import type { Fields } from '#/core/basics/fields.ts'
import { ago } from './build-fleet.ts'

/** ARC objects with the fields that audits of templates and Secrets read. */

const PART = 'actions.github.com/'

const buildLabels = (set: string, component: string): Fields => ({
  [`${PART}scale-set-name`]: set,
  [`${PART}scale-set-namespace`]: 'arc-runners',
  'app.kubernetes.io/part-of': 'gha-runner-scale-set',
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/version': '0.14.2',
})

export const RUNNER_IMAGE = 'ghcr.io/actions/actions-runner:2.335.1'
export const ARC_IMAGE = 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2'

export type SetChanges = {
  readonly namespace?: string
  readonly template?: Fields
  readonly runner?: Fields
  readonly spec?: Fields
}

export function scaleSet(name: string, changes: SetChanges = {}): Fields {
  return {
    kind: 'AutoscalingRunnerSet',
    metadata: {
      namespace: changes.namespace ?? 'arc-runners',
      name,
      uid: `set-${name}`,
      labels: { 'app.kubernetes.io/version': '0.14.2' },
    },
    spec: {
      githubConfigUrl: 'https://github.com/example-org',
      githubConfigSecret: 'gh-app',
      runnerScaleSetName: name,
      template: {
        spec: { containers: [{ name: 'runner', image: RUNNER_IMAGE, ...changes.runner }], ...changes.template },
      },
      ...changes.spec,
    },
  }
}

export function buildListener(set: string, spec: Fields = {}): Fields {
  return {
    kind: 'AutoscalingListener',
    metadata: {
      namespace: 'arc-systems',
      name: `${set}-listener`,
      labels: buildLabels(set, 'runner-scale-set-listener'),
    },
    spec: { autoscalingRunnerSetNamespace: 'arc-runners', autoscalingRunnerSetName: set, image: ARC_IMAGE, ...spec },
  }
}

export function controllerDeployment(template: Fields = {}): Fields {
  return {
    kind: 'Deployment',
    metadata: { namespace: 'arc-systems', name: 'arc', labels: { 'app.kubernetes.io/part-of': 'gha-rs-controller' } },
    spec: { template: { spec: { containers: [{ name: 'manager', image: ARC_IMAGE }], ...template } } },
  }
}

export type PodChanges = {
  readonly spec?: Fields
  readonly waiting?: Fields
  readonly state?: Fields
  readonly metadata?: Fields
}

export function runnerPod(
  set: string,
  name: string,
  { spec = {}, waiting, state, metadata = {} }: PodChanges = {},
): Fields {
  const own = state ?? (waiting === undefined ? { running: { startedAt: ago(60_000) } } : { waiting })
  return {
    kind: 'Pod',
    metadata: {
      namespace: 'arc-runners',
      name,
      uid: `pod-${name}`,
      labels: buildLabels(set, 'runner'),
      ownerReferences: [{ kind: 'EphemeralRunner', name }],
      ...metadata,
    },
    spec: { nodeName: 'n1', containers: [{ name: 'runner', image: RUNNER_IMAGE }], ...spec },
    status: {
      phase: waiting === undefined ? 'Running' : 'Pending',
      containerStatuses: [{ name: 'runner', image: RUNNER_IMAGE, state: own }],
    },
  }
}

export function listenerPod(set: string, { spec = {}, waiting, state }: PodChanges = {}): Fields {
  const own = state ?? (waiting === undefined ? { running: { startedAt: ago(60_000) } } : { waiting })
  const name = `${set}-listener`
  return {
    kind: 'Pod',
    metadata: {
      namespace: 'arc-systems',
      name,
      uid: `pod-${name}`,
      labels: buildLabels(set, 'runner-scale-set-listener'),
      ownerReferences: [{ kind: 'AutoscalingListener', name }],
    },
    spec: { nodeName: 'n1', containers: [{ name: 'listener', image: ARC_IMAGE }], ...spec },
    status: {
      phase: waiting === undefined ? 'Running' : 'Pending',
      containerStatuses: [{ name: 'listener', image: ARC_IMAGE, state: own }],
    },
  }
}

export function ephemeralRunner(set: string, name: string): Fields {
  return {
    kind: 'EphemeralRunner',
    metadata: { namespace: 'arc-runners', name, labels: buildLabels(set, 'runner') },
    status: { phase: 'Running', ready: true, runnerId: 1, runnerName: name },
  }
}

export function buildSecret(namespace: string, name: string, data: Fields = {}, type = 'Opaque'): Fields {
  return { kind: 'Secret', metadata: { namespace, name }, type, data }
}

const encode = (text: string): string => Buffer.from(text).toString('base64')

/** Registry → `user:password`. */
export function pullSecret(
  namespace: string,
  name: string,
  credentials: Readonly<Record<string, string>>,
  type = 'kubernetes.io/dockerconfigjson',
): Fields {
  const auths = Object.fromEntries(Object.entries(credentials).map(([key, pair]) => [key, { auth: encode(pair) }]))
  return buildSecret(namespace, name, { '.dockerconfigjson': encode(JSON.stringify({ auths })) }, type)
}

export function podEvent(pod: Fields, reason: string, message: string): Fields {
  const { namespace, name, uid } = pod['metadata'] as { namespace: string; name: string; uid: string }
  return { reason, message, lastTimestamp: ago(30_000), involvedObject: { kind: 'Pod', namespace, name, uid } }
}
