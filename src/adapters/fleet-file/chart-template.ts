import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'

/** The chart's runner container if the values have none. */
const DEFAULT_RUNNER: Fields = {
  name: 'runner',
  image: 'ghcr.io/actions/actions-runner:latest',
  command: ['/home/runner/run.sh'],
}

const DIND_IMAGE = 'docker:dind'

type Addition = { readonly name: string; readonly [key: string]: unknown }

/** The pod template that the chart renders from its values, as far as an audit reads it. */
export function chartTemplate(values: Fields, account: (suffix: string) => string): Fields {
  const given = toFields(at(values, 'template', 'spec'))
  const mode = textAt(values, 'containerMode', 'type') ?? ''
  const isKubernetes = mode === 'kubernetes' || mode === 'kubernetes-novolume'
  const containers = 'containers' in given ? listAt(given, 'containers') : [DEFAULT_RUNNER]
  const runner = toFields(containers.find(isNamed('runner')))
  const others = containers.filter((one) => !isNamed('runner')(one) && !(mode === 'dind' && isNamed('dind')(one)))
  const { dind: _dind, ...rest } = given
  const initContainers = [...(mode === 'dind' ? dindContainers(given, runner) : []), ...listAt(given, 'initContainers')]
  const volumes = buildVolumes(values, mode)
  return {
    metadata: toFields(at(values, 'template', 'metadata')),
    spec: {
      ...rest,
      restartPolicy: textAt(given, 'restartPolicy') ?? 'Never',
      serviceAccountName: textAt(given, 'serviceAccountName') ?? account(isKubernetes ? 'kube-mode' : 'no-permission'),
      ...(initContainers.length === 0 ? {} : { initContainers }),
      containers: [
        ...(Object.keys(runner).length === 0 ? [] : [{ ...runner, env: withEnv(runner, buildEnv(mode, runner)) }]),
        ...others,
      ],
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  }
}

function isNamed(name: string): (item: unknown) => boolean {
  return (item) => textAt(item, 'name') === name
}

/** Variables from the values take precedence. */
function withEnv(runner: Fields, additions: readonly Addition[]): readonly unknown[] {
  const own = listAt(runner, 'env')
  return [...own, ...additions.filter(({ name }) => !own.some(isNamed(name)))]
}

function buildEnv(mode: string, runner: Fields): readonly Addition[] {
  const hooks = (folder: string): readonly Addition[] => [
    { name: 'ACTIONS_RUNNER_CONTAINER_HOOKS', value: `/home/runner/${folder}/index.js` },
    { name: 'ACTIONS_RUNNER_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER', value: 'true' },
  ]
  switch (mode) {
    case 'dind':
      return [
        { name: 'DOCKER_HOST', value: 'unix:///var/run/docker.sock' },
        { name: 'RUNNER_WAIT_FOR_DOCKER_IN_SECONDS', value: '120' },
      ]
    case 'kubernetes':
      return hooks('k8s')
    case 'kubernetes-novolume':
      return [...hooks('k8s-novolume'), { name: 'ACTIONS_RUNNER_IMAGE', value: textAt(runner, 'image') ?? '' }]
    default:
      return []
  }
}

/** As on Kubernetes 1.29 and later, where dind is a sidecar. */
function dindContainers(spec: Fields, runner: Fields): readonly Fields[] {
  return [
    { name: 'init-dind-externals', image: textAt(runner, 'image') ?? DEFAULT_RUNNER['image'], command: ['cp'] },
    {
      name: 'dind',
      image: textAt(spec, 'dind', 'image') ?? DIND_IMAGE,
      restartPolicy: 'Always',
      securityContext: { privileged: true },
      ...('resources' in toFields(at(spec, 'dind')) ? { resources: at(spec, 'dind', 'resources') } : {}),
    },
  ]
}

function buildVolumes(values: Fields, mode: string): readonly unknown[] {
  const given = listAt(values, 'template', 'spec', 'volumes')
  const missing = (volume: Addition): readonly Addition[] => (given.some(isNamed(volume.name)) ? [] : [volume])
  switch (mode) {
    case 'dind':
      return [
        { name: 'dind-sock', emptyDir: {} },
        { name: 'dind-externals', emptyDir: {} },
        ...missing({ name: 'work', emptyDir: {} }),
        ...given,
      ]
    case 'kubernetes': {
      const spec = at(values, 'containerMode', 'kubernetesModeWorkVolumeClaim')
      return [...missing({ name: 'work', ephemeral: { volumeClaimTemplate: { spec } } }), ...given]
    }
    default:
      return given
  }
}
