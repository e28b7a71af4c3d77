import type { Fields } from '#/core/basics/fields.ts'

/** ARC's controller for a set; `false` if there is none. */
export type ControllerCase = {
  /** The version of its image; default: the set's. */
  readonly version?: string
  /** The version of the running pod, if a rollout is stuck. */
  readonly podVersion?: string
  readonly isDown?: boolean
  readonly watches?: string
}

const image = (version: string): string => `ghcr.io/actions/gha-runner-scale-set-controller:${version}`

const labels = (version: string): Fields => ({
  'app.kubernetes.io/part-of': 'gha-rs-controller',
  'app.kubernetes.io/version': version.startsWith('canary') ? '0.14.2' : version,
})

export function buildControllers(own: false | ControllerCase = {}, setVersion = '0.14.2'): readonly Fields[] {
  if (own === false) return []
  const version = own.version ?? setVersion
  const args = own.watches === undefined ? [] : [`--watch-single-namespace=${own.watches}`]
  const isDown = own.isDown === true
  return [
    {
      metadata: { name: 'arc-controller', namespace: 'arc-systems', labels: labels(version) },
      spec: {
        replicas: isDown ? 0 : 1,
        template: { spec: { containers: [{ name: 'manager', image: image(version), args }] } },
      },
      status: isDown ? {} : { readyReplicas: 1 },
    },
  ]
}

export function controllerPods(own: false | ControllerCase = {}, setVersion = '0.14.2'): readonly Fields[] {
  if (own === false || own.isDown === true) return []
  const version = own.podVersion ?? own.version ?? setVersion
  return [
    {
      metadata: { name: 'arc-controller-54c97b67d5-kxw5c', namespace: 'arc-systems', labels: labels(version) },
      spec: { containers: [{ name: 'manager', image: image(version) }] },
      status: { phase: 'Running', containerStatuses: [{ name: 'manager', state: { running: {} } }] },
    },
  ]
}
