import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import { imageTag } from '#/core/kubernetes/image-name.ts'

export type UpdateStrategy = 'immediate' | 'eventual'

/** The Deployment of ARC's controller. */
export type Controller = {
  readonly namespace: string
  readonly name: string
  /** From its label, else from its image: with 0 replicas there is no pod. */
  readonly version: string | null
  readonly image: string | null
  readonly replicas: number
  readonly readyReplicas: number
  readonly args: readonly string[]
  /** Null if the version has no such flag or it is not set: then it is `immediate`. */
  readonly updateStrategy: UpdateStrategy | null
  /** It serves only sets of this namespace; null means all. */
  readonly watchedNamespace: string | null
  readonly pullSecrets: readonly string[]
  readonly raw: Fields
}

export function readController(deployment: Fields): Controller | null {
  const labels = toFields(at(deployment, 'metadata', 'labels'))
  const pod = at(deployment, 'spec', 'template', 'spec')
  const manager = listAt(pod, 'containers').find((container) => textAt(container, 'name') === 'manager')
  const image = textAt(manager, 'image')
  const isController =
    textAt(labels, 'app.kubernetes.io/part-of') === 'gha-rs-controller' ||
    /\/gha-runner-scale-set-controller(?:[:@]|$)/.test(image ?? '')
  if (!isController) return null
  const args = listAt(manager, 'args').filter((arg) => typeof arg === 'string')
  const strategy = flagValue(args, 'update-strategy')
  return {
    namespace: textAt(deployment, 'metadata', 'namespace') ?? 'default',
    name: textAt(deployment, 'metadata', 'name') ?? '',
    version: readVersion(labels, image),
    image,
    replicas: numberAt(deployment, 'spec', 'replicas') ?? 1,
    readyReplicas: numberAt(deployment, 'status', 'readyReplicas') ?? 0,
    args,
    updateStrategy: strategy === 'immediate' || strategy === 'eventual' ? strategy : null,
    watchedNamespace:
      flagValue(args, 'watch-single-namespace') ??
      textAt(labels, 'actions.github.com/controller-watch-single-namespace'),
    pullSecrets: listAt(pod, 'imagePullSecrets').flatMap((secret) => textAt(secret, 'name') ?? []),
    raw: deployment,
  }
}

/** A canary image has the chart's version as label, which is not what runs. */
function readVersion(labels: Fields, image: string | null): string | null {
  const tag = image === null ? null : imageTag(image)
  return tag !== null && /^(?:canary|dev)/.test(tag) ? tag : (textAt(labels, 'app.kubernetes.io/version') ?? tag)
}

export function flagValue(args: readonly string[], flag: string): string | null {
  const index = args.findIndex((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`))
  if (index === -1) return null
  const arg = args[index] ?? ''
  const value = arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : (args[index + 1] ?? '')
  return value === '' ? null : value
}
