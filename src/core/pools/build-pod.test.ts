import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { at, listAt, textAt, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { buildPod } from './build-pod.ts'
import type { PodSettings } from './build-pod.ts'
import { declarePool } from './declared-pools.ts'
import type { RunnerPool } from './runner-pool.ts'
import { templateDigest } from './template-digest.ts'

const SETTINGS: PodSettings = {
  url: 'https://signalbox.example',
  ca: null,
  scripts: { poller: '# why\necho "$TOKEN" $$\n', runner: 'echo run\n', vitals: 'echo vitals\n' },
}
const withPod = (spec: Fields, metadata: Fields = {}, given: Partial<RunnerPool> = {}) =>
  declarePool('linux', { ...given, template: { metadata, spec } })
const build = (pool: RunnerPool) => buildPod(pool, SETTINGS, 'linux-1')
const RUNNER = { name: 'runner', image: 'runner:1' }
const named = (pod: Fields, list: string, name: string): Fields =>
  toFields(listAt(pod, 'spec', list).find((one) => textAt(one, 'name') === name))
const env = (container: Fields): Fields =>
  Object.fromEntries(listAt(container, 'env').map((one) => [textAt(one, 'name') ?? '', at(one, 'value')]))
const mounts = (container: Fields): Fields =>
  Object.fromEntries(
    listAt(container, 'volumeMounts').map((one) => [textAt(one, 'mountPath') ?? '', textAt(one, 'name')]),
  )
const runnerOf = (spec: Fields, given: Partial<RunnerPool> = {}) =>
  named(build(withPod(spec, {}, given)), 'containers', 'runner')

describe('buildPod', () => {
  it('makes a pod of the least that a pool can say', () => {
    const pod = build(declarePool('linux'))
    expect(pod).toMatchObject({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: 'runners',
        name: 'linux-1',
        labels: { 'signalbox.dev/pool': 'linux', 'sidecar.istio.io/inject': 'false' },
        annotations: {
          'signalbox.dev/template': templateDigest(declarePool('linux'), SETTINGS),
          'linkerd.io/inject': 'disabled',
        },
        finalizers: ['signalbox.dev/evidence'],
      },
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 3600,
      },
    })
    const runner = named(pod, 'containers', 'runner')
    expect(runner).toMatchObject({
      command: ['/bin/sh', '/signalbox/scripts/run-job.sh'],
      resources: { requests: { 'ephemeral-storage': '1Gi' }, limits: { 'ephemeral-storage': '50Gi' } },
    })
    expect(mounts(runner)).toEqual({
      '/home/runner/_work': 'work',
      '/signalbox/jit': 'signalbox-jit',
      '/signalbox/scripts': 'signalbox-scripts',
    })
  })

  it('gives the poller the image of the runner, its user and its amounts, and none of its privileges', () => {
    const pod = build(
      withPod({
        containers: [
          {
            ...RUNNER,
            imagePullPolicy: 'Always',
            resources: { requests: { cpu: '4', memory: '8Gi' }, limits: { memory: '8Gi', 'nvidia.com/gpu': 1 } },
            securityContext: { runAsUser: 1001, privileged: true },
          },
        ],
        initContainers: [{ name: 'dind', image: 'docker:dind', restartPolicy: 'Always' }],
      }),
    )
    expect(listAt(pod, 'spec', 'initContainers').map((one) => textAt(one, 'name'))).toEqual(['dind', 'poller'])
    const poller = named(pod, 'initContainers', 'poller')
    expect(poller).toMatchObject({ image: 'runner:1', imagePullPolicy: 'Always' })
    expect(poller['securityContext']).toEqual({
      runAsUser: 1001,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    expect(poller['resources']).toEqual({
      requests: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '1Gi' },
      limits: { memory: '8Gi', 'ephemeral-storage': '50Gi' },
    })
  })

  it('keeps the scripts from what Kubernetes would replace in them', () => {
    const poller = named(build(declarePool('linux')), 'initContainers', 'poller')
    expect(poller['command']).toEqual(['/bin/sh', '-c', 'echo "$$TOKEN" $$$$\n', 'poller'])
  })
  it.each<[string, Fields, Partial<RunnerPool>, Fields]>([
    [
      'runs what the template runs, behind our script',
      { command: ['/home/runner/run.sh'], args: ['--once'] },
      {},
      { command: ['/bin/sh', '/signalbox/scripts/run-job.sh', '/home/runner/run.sh', '--once'] },
    ],
    [
      'keeps a limit that is there, which is also the request',
      { resources: { limits: { 'ephemeral-storage': '2Gi' } } },
      {},
      { resources: { limits: { 'ephemeral-storage': '2Gi' } } },
    ],
    [
      'has a limit as large as what was requested',
      { resources: { requests: { 'ephemeral-storage': '200Gi' } } },
      {},
      { resources: { requests: { 'ephemeral-storage': '200Gi' }, limits: { 'ephemeral-storage': '200Gi' } } },
    ],
    [
      'keeps an amount for another thing',
      { resources: { limits: { cpu: 2 } } },
      {},
      { resources: { limits: { cpu: 2 } } },
    ],
  ])('the runner %s', (_title, container, given, expected) => {
    expect(runnerOf({ containers: [{ ...RUNNER, ...container }] }, given)).toMatchObject(expected)
  })

  it('has the work folder where the runner is, unless the template has one', () => {
    const own = [{ name: 'scratch', mountPath: '/home/runner/_work' }]
    expect(mounts(runnerOf({ containers: [{ ...RUNNER, workingDir: '/opt/runner/' }] }))).toMatchObject({
      '/opt/runner/_work': 'work',
    })
    const pod = build(withPod({ containers: [{ ...RUNNER, volumeMounts: own }], volumes: [{ name: 'scratch' }] }))
    expect(mounts(named(pod, 'containers', 'runner'))).toMatchObject({ '/home/runner/_work': 'scratch' })
    expect(named(pod, 'volumes', 'work')).toEqual({})
    const disk = { name: 'work', ephemeral: { volumeClaimTemplate: {} } }
    expect(named(build(withPod({ containers: [RUNNER], volumes: [disk] })), 'volumes', 'work')).toEqual(disk)
  })

  it('gives a sidecar that mounts the work folder the same one', () => {
    const daemon = {
      name: 'dind',
      image: 'docker:dind',
      volumeMounts: [{ name: 'work', mountPath: '/home/runner/_work' }],
    }
    const pod = build(withPod({ containers: [RUNNER], initContainers: [{ ...daemon, restartPolicy: 'Always' }] }))
    expect(named(pod, 'initContainers', 'dind')).toEqual({ ...daemon, restartPolicy: 'Always' })
    expect(named(pod, 'volumes', 'work')).toEqual({ name: 'work', emptyDir: {} })
  })

  it.each<[Partial<RunnerPool>, number | null, number, string]>([
    [{ shutdown: 'finish' }, null, 3600, '3540'],
    [{ shutdown: 'finish' }, 7200, 7200, '7140'],
    [{ shutdown: 'finish' }, 30, 60, '0'],
    [{ shutdown: 'report' }, null, 60, '0'],
    [{ shutdown: 'report' }, 300, 300, '240'],
  ])('leaves time to report a job: %j with a grace period of %s', (given, own, grace, finish) => {
    const pod = build(withPod({ containers: [RUNNER], terminationGracePeriodSeconds: own }, {}, given))
    expect(at(pod, 'spec', 'terminationGracePeriodSeconds')).toBe(grace)
    expect(env(named(pod, 'containers', 'runner'))).toMatchObject({
      SIGNALBOX_SHUTDOWN: given.shutdown,
      SIGNALBOX_FINISH_SECONDS: finish,
      SIGNALBOX_IDLE_SECONDS: '1800',
    })
  })

  it('passes on what only the template knows', () => {
    const spec = {
      runtimeClassName: 'kata-qemu',
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'runner', operator: 'Exists' }],
      serviceAccountName: 'builds',
      imagePullSecrets: [{ name: 'registry' }],
    }
    const metadata = { labels: { team: 'a', 'sidecar.istio.io/inject': 'true' }, annotations: { note: 'b' } }
    const pod = build(withPod({ ...spec, containers: [RUNNER] }, metadata))
    expect(pod).toMatchObject({ metadata, spec })
  })

  it('keeps its protections whatever the template says', () => {
    fc.assert(
      fc.property(anyTemplate(), fc.constantFrom('finish', 'report'), (template, shutdown) => {
        const pod = build(declarePool('linux', { template, shutdown }))
        expect(pod).toMatchObject({
          metadata: {
            namespace: 'runners',
            name: 'linux-1',
            labels: { 'signalbox.dev/pool': 'linux' },
            finalizers: ['signalbox.dev/evidence'],
          },
          spec: { restartPolicy: 'Never', automountServiceAccountToken: false },
        })
        expect(at(pod, 'metadata', 'annotations', 'signalbox.dev/template')).toMatch(/^[0-9a-f]{16}$/)
        expect(at(pod, 'spec', 'terminationGracePeriodSeconds')).toBeGreaterThanOrEqual(60)
        const runner = named(pod, 'containers', 'runner')
        expect(listAt(runner, 'command').slice(0, 2)).toEqual(['/bin/sh', '/signalbox/scripts/run-job.sh'])
        expect(runner['terminationMessagePolicy']).toBe('FallbackToLogsOnError')
        expect(runner).not.toHaveProperty('args')
        expect(env(runner)).toMatchObject({ RUNNER_MANUALLY_TRAP_SIG: '1', SIGNALBOX_SHUTDOWN: shutdown })
        expect(at(runner, 'resources', 'limits', 'ephemeral-storage')).toBeDefined()
        expectTokenOnlyInPoller(pod)
      }),
    )
  })
})

function expectTokenOnlyInPoller(pod: Fields): void {
  const volumes = listAt(pod, 'spec', 'volumes')
  expect(volumes.filter((one) => JSON.stringify(one).includes('serviceAccountToken'))).toHaveLength(1)
  const containers = [...listAt(pod, 'spec', 'initContainers'), ...listAt(pod, 'spec', 'containers')]
  const holders = containers.filter((one) =>
    listAt(one, 'volumeMounts').some((mount) => textAt(mount, 'name') === 'signalbox-token'),
  )
  expect(holders.map((one) => textAt(one, 'name'))).toEqual(['poller'])
  expect(listAt(pod, 'spec', 'initContainers').at(-1)).toBe(holders[0])
  for (const list of ['initContainers', 'containers', 'volumes']) {
    const names = listAt(pod, 'spec', list).map((one) => textAt(one, 'name'))
    expect(new Set(names).size).toBe(names.length)
  }
}

/** As hostile as a template can be: our names, nulls, directives of a patch, wrong types. */
function anyTemplate(): fc.Arbitrary<Fields> {
  const value = fc.oneof(fc.constant(null), fc.constant('x'), fc.constant(7), fc.constant([]), fc.constant({}))
  const name = fc.constantFrom('runner', 'poller', 'dind', 'signalbox-token', 'signalbox-jit', 'work', 'x')
  const mount = fc.record({ name, mountPath: fc.constantFrom('/signalbox/token', '/signalbox/jit', '/work', '/x') })
  const variable = fc.record({ name: fc.constantFrom('RUNNER_MANUALLY_TRAP_SIG', 'SIGNALBOX_SHUTDOWN'), value })
  const container = fc.record(
    {
      name,
      image: fc.constantFrom('a', 'b'),
      command: fc.oneof(value, fc.constant(['bash'])),
      args: fc.oneof(value, fc.constant(['-c'])),
      env: fc.oneof(value, fc.array(fc.oneof(value, variable), { maxLength: 4 })),
      volumeMounts: fc.oneof(value, fc.array(fc.oneof(value, mount), { maxLength: 4 })),
      terminationMessagePolicy: value,
      resources: value,
      $patch: fc.constantFrom('delete', 'replace'),
    },
    { requiredKeys: [] },
  )
  const projection = fc.constant({ sources: [{ serviceAccountToken: { path: 't' } }, { downwardAPI: {} }] })
  const volume = fc.record({ name, projected: fc.oneof(value, projection) }, { requiredKeys: [] })
  const list = <T>(item: fc.Arbitrary<T>) => fc.oneof(value, fc.array(fc.oneof(value, item), { maxLength: 4 }))
  const ours = fc.constantFrom('signalbox.dev/pool', 'signalbox.dev/template', 'signalbox.dev/drain', 'team')
  return fc.record(
    {
      metadata: fc.oneof(
        value,
        fc.record({ labels: fc.dictionary(ours, value), annotations: fc.dictionary(ours, value), finalizers: value }),
      ),
      spec: fc.oneof(
        value,
        fc.record(
          {
            containers: list(container),
            initContainers: list(container),
            volumes: list(volume),
            restartPolicy: value,
            automountServiceAccountToken: fc.constantFrom(true, null),
            terminationGracePeriodSeconds: fc.oneof(value, fc.integer()),
            $retainKeys: value,
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  )
}

describe('templateDigest', () => {
  const digest = (pool: RunnerPool, settings: Partial<PodSettings> = {}) =>
    templateDigest(pool, { ...SETTINGS, ...settings })
  const base = withPod({ containers: [RUNNER] })

  it('stays while only sizes, labels and shares change, and whatever the order of keys', () => {
    const reversed = withPod({ containers: [{ image: 'runner:1', name: 'runner' }] })
    expect(digest(reversed)).toBe(digest(base))
    expect(digest({ ...base, labels: ['other'], size: { ...base.size, max: 7 } })).toBe(digest(base))
  })

  it.each<[string, RunnerPool, Partial<PodSettings>]>([
    ['the image', withPod({ containers: [{ ...RUNNER, image: 'runner:2' }] }), {}],
    ['the way of the shutdown', { ...base, shutdown: 'report' }, {}],
    ['the URL of serve', base, { url: 'https://other.example' }],
    ['the CA', base, { ca: 'PEM' }],
    ['a script', base, { scripts: { ...SETTINGS.scripts, vitals: 'echo other\n' } }],
  ])('changes with %s', (_title, pool, settings) => {
    expect(digest(pool, settings)).not.toBe(digest(base))
  })
})
