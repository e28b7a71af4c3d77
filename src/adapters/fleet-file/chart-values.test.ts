import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { readScaleSet } from '#/core/fleet/scale-set.ts'
import { toController, isControllerValues, toScaleSet, scaleSetValues } from './chart-values.ts'

const URL = 'https://github.com/example-org/'
const made = (values: Fields, release = 'linux-x64') =>
  readScaleSet(toScaleSet({ values: { githubConfigUrl: URL, ...values }, release }, 'arc-runners'))
const names = (list: readonly unknown[]) => list.map((one) => textAt(one, 'name'))
const mode = (type: string, template: Fields = {}, more: Fields = {}) =>
  made({ containerMode: { type, ...more }, template: { spec: template } }).template
const findRunner = (template: Fields) => listAt(template, 'containers').find((one) => textAt(one, 'name') === 'runner')

describe('toScaleSet: values of the scale set chart', () => {
  it('give the set that the chart renders from only a URL', () => {
    const set = made({})
    expect(set).toMatchObject({
      name: 'linux-x64',
      namespace: 'arc-runners',
      runsOn: ['linux-x64'],
      configUrl: 'https://github.com/example-org',
      minRunners: 0,
      maxRunners: null,
      runnerGroup: null,
    })
    expect(set.template).toMatchObject({
      restartPolicy: 'Never',
      serviceAccountName: 'linux-x64-gha-rs-no-permission',
      containers: [
        { name: 'runner', image: 'ghcr.io/actions/actions-runner:latest', command: ['/home/runner/run.sh'] },
      ],
    })
  })

  it('are copied into the set', () => {
    const set = made({
      runnerScaleSetName: 'big_lane',
      runnerGroup: 'gpu',
      minRunners: 1,
      maxRunners: 9,
      scaleSetLabels: ['x64'],
      githubConfigSecret: 'gh-app',
      namespaceOverride: 'elsewhere',
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { nodeSelector: { pool: 'ci' }, containers: [{ name: 'runner', image: 'x:1' }] },
      },
    })
    expect(set).toMatchObject({
      name: 'big-lane',
      namespace: 'elsewhere',
      runsOn: ['big_lane', 'x64'],
      runnerGroup: 'gpu',
      minRunners: 1,
      maxRunners: 9,
      configSecret: 'gh-app',
      template: { nodeSelector: { pool: 'ci' }, containers: [{ name: 'runner', image: 'x:1' }] },
      templateMetadata: { labels: { a: 'b' } },
    })
  })

  it('must be numbers: strings that look like numbers are ignored', () => {
    expect(made({ maxRunners: '9' }).maxRunners).toBeNull()
  })

  it('never expose a credential', () => {
    const set = toScaleSet(
      { values: { githubConfigUrl: URL, githubConfigSecret: { github_token: 'ghp_secret' } }, release: 'a' },
      'b',
    )
    expect(JSON.stringify(set)).not.toContain('ghp_secret')
    expect(set).toMatchObject({ spec: { githubConfigSecret: 'a-gha-rs-github-secret' } })
  })

  it('with dind add its containers and volumes', () => {
    const own = {
      containers: [
        { name: 'runner', image: 'x:1', env: [{ name: 'DOCKER_HOST', value: 'tcp://y' }] },
        { name: 'dind' },
        { name: 'side' },
      ],
      initContainers: [{ name: 'first' }],
    }
    const template = mode('dind', own)
    expect(names(listAt(template, 'initContainers'))).toEqual(['init-dind-externals', 'dind', 'first'])
    expect(listAt(template, 'initContainers')).toMatchObject([
      { image: 'x:1' },
      { image: 'docker:dind', restartPolicy: 'Always' },
      {},
    ])
    expect(names(listAt(template, 'containers'))).toEqual(['runner', 'side'])
    expect(listAt(findRunner(template), 'env')).toEqual([
      { name: 'DOCKER_HOST', value: 'tcp://y' },
      { name: 'RUNNER_WAIT_FOR_DOCKER_IN_SECONDS', value: '120' },
    ])
    expect(names(listAt(template, 'volumes'))).toEqual(['dind-sock', 'dind-externals', 'work'])
  })

  it('keep their own work volume', () => {
    const volumes = [
      { name: 'work', hostPath: {} },
      { name: 'cache', emptyDir: {} },
    ]
    expect(listAt(mode('dind', { volumes }), 'volumes').filter((one) => textAt(one, 'name') === 'work')).toEqual([
      volumes[0],
    ])
    expect(mode('kubernetes', { volumes })['volumes']).toEqual(volumes)
    expect(mode('', { volumes })['volumes']).toEqual(volumes)
  })

  it('with kubernetes add hooks, a service account and a claim', () => {
    const template = mode('kubernetes', {}, { kubernetesModeWorkVolumeClaim: { storageClassName: 'fast' } })
    expect(names(listAt(findRunner(template), 'env'))).toEqual([
      'ACTIONS_RUNNER_CONTAINER_HOOKS',
      'ACTIONS_RUNNER_POD_NAME',
      'ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER',
    ])
    expect(template).toMatchObject({
      serviceAccountName: 'linux-x64-gha-rs-kube-mode',
      volumes: [{ name: 'work', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } }],
    })
    expect(mode('kubernetes-novolume')['volumes']).toBeUndefined()
    expect(mode('kubernetes', { serviceAccountName: 'own' })['serviceAccountName']).toBe('own')
  })
})

describe('a mapping is scale set values', () => {
  it.each([
    ['with a URL', { githubConfigUrl: URL }, ['file']],
    ['with two of its keys', { runnerScaleSetName: 'a', maxRunners: 3 }, ['file']],
    [
      'under the names of a chart of charts',
      { global: {}, linux: { githubConfigUrl: URL }, arm: { githubConfigUrl: URL } },
      ['linux', 'arm'],
    ],
    ['not with one common key', { maxRunners: 3 }, []],
    ['not any mapping', { replicaCount: 1, image: { tag: 'x' } }, []],
  ])('%s', (_what, fields, releases) => {
    expect(scaleSetValues(fields, 'file').map(({ release }) => release)).toEqual(releases)
  })

  it('is not confused with values of the controller', () => {
    const values = {
      flags: { updateStrategy: 'eventual', watchSingleNamespace: 'arc-runners' },
      image: { tag: '0.14.2' },
    }
    expect(isControllerValues(values)).toBe(true)
    expect(isControllerValues({ flags: { logLevel: 'debug' } })).toBe(false)
    expect(toController(values, { release: 'arc', namespace: 'x' })).toMatchObject({
      metadata: { name: 'arc' },
      spec: {
        template: {
          spec: {
            containers: [
              {
                image: 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2',
                args: ['--update-strategy=eventual', '--watch-single-namespace=arc-runners'],
              },
            ],
          },
        },
      },
    })
  })
})
