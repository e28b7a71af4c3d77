import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import { chartTemplate } from './chart-template.ts'

/** Values of one release, with its Helm release name as the default name. */
export type ReleaseValues = { readonly values: Fields; readonly release: string }

/** Values of the scale set chart, at the top level or under the subchart names of an umbrella chart. */
export function scaleSetValues(fields: Fields, release: string): readonly ReleaseValues[] {
  if (isScaleSet(fields)) return [{ values: fields, release }]
  return Object.entries(fields).flatMap(([name, part]) => {
    const values = toFields(part)
    return isScaleSet(values) ? [{ values, release: name }] : []
  })
}

const SCALE_SET_KEYS = ['runnerScaleSetName', 'minRunners', 'maxRunners', 'githubConfigSecret'] as const

function isScaleSet(fields: Fields): boolean {
  return textAt(fields, 'githubConfigUrl') !== null || SCALE_SET_KEYS.filter((key) => key in fields).length >= 2
}

/** The AutoscalingRunnerSet that the chart renders from its values; the release's namespace is an argument. */
export function toScaleSet({ values, release }: ReleaseValues, namespace: string): Fields {
  const name = textAt(values, 'runnerScaleSetName') ?? release
  const account = (suffix: string): string => `${`${name}-gha-rs`.slice(0, 63)}-${suffix}`.replaceAll('_', '-')
  const labels = listAt(values, 'scaleSetLabels')
  return {
    apiVersion: 'actions.github.com/v1alpha1',
    kind: 'AutoscalingRunnerSet',
    metadata: {
      name: name.replaceAll('_', '-'),
      namespace: textAt(values, 'namespaceOverride') ?? namespace,
      labels: { 'actions.github.com/scale-set-name': name, 'app.kubernetes.io/part-of': 'gha-rs' },
      annotations: { 'meta.helm.sh/release-name': release },
    },
    spec: {
      ...present('githubConfigUrl', textAt(values, 'githubConfigUrl')),
      // Never the credential itself: the chart puts it into a Secret.
      githubConfigSecret: textAt(values, 'githubConfigSecret') ?? account('github-secret'),
      ...present('runnerGroup', textAt(values, 'runnerGroup')),
      ...present('runnerScaleSetName', textAt(values, 'runnerScaleSetName')),
      ...(labels.length === 0 ? {} : { runnerScaleSetLabels: labels }),
      // The chart ignores numbers written as strings.
      ...present('minRunners', numberAt(values, 'minRunners')),
      ...present('maxRunners', numberAt(values, 'maxRunners')),
      ...(textAt(values, 'keyVault', 'type') === null
        ? {}
        : { vaultConfig: { type: textAt(values, 'keyVault', 'type') } }),
      ...present('listenerTemplate', at(values, 'listenerTemplate')),
      template: chartTemplate(values, account),
    },
  }
}

function present(key: string, value: unknown): Fields {
  return value === null || value === undefined ? {} : { [key]: value }
}

const CONTROLLER_FLAGS = ['updateStrategy', 'watchSingleNamespace', 'runnerMaxConcurrentReconciles'] as const

export function isControllerValues(fields: Fields): boolean {
  const flags = toFields(at(fields, 'flags'))
  return CONTROLLER_FLAGS.some((flag) => flag in flags)
}

/** The controller's Deployment, as far as its values set it. */
export function toController(
  values: Fields,
  { release, namespace }: { readonly release: string; readonly namespace: string },
): Fields {
  const flags = at(values, 'flags')
  const strategy = textAt(flags, 'updateStrategy')
  const watched = textAt(flags, 'watchSingleNamespace')
  const tag = textAt(values, 'image', 'tag')
  const repository = textAt(values, 'image', 'repository') ?? 'ghcr.io/actions/gha-runner-scale-set-controller'
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: release, namespace, labels: { 'app.kubernetes.io/part-of': 'gha-rs-controller' } },
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: 'manager',
              image: tag === null ? repository : `${repository}:${tag}`,
              args: [
                ...(strategy === null ? [] : [`--update-strategy=${strategy}`]),
                ...(watched === null ? [] : [`--watch-single-namespace=${watched}`]),
              ],
            },
          ],
        },
      },
    },
  }
}
