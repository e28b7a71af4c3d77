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
const env = (container: Fields) =>
  Object.fromEntries(listAt(container, 'env').map((one) => [textAt(one, 'name'), at(one, 'value')]))
const mounts = (container: Fields) =>
  Object.fromEntries(listAt(container, 'volumeMounts').map((one) => [textAt(one, 'mountPath'), textAt(one, 'name')]))
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
      requests: { cpu: '4', memory: '8Gi' },
      limits: { memory: '8Gi', 'ephemeral-storage': '50Gi' },
    })
  })

  it('keeps the scripts from what Kubernetes would replace in them', () => {
    const poller = named(build(declarePool('linux')), 'initContainers', 'poller')
    expect(poller['command']).toEqual(['/bin/sh', '-c', 'echo "$$TOKEN" $$$$\n', 'poller'])
  })
})
