import { describe, expect, it } from 'vitest'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import { podRequests } from '#/core/kubernetes/pod-request.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { withoutBulk } from '#/ports/kubernetes-object.ts'
import { isOfFleet, trimForeign, withoutSchema } from './trim-object.ts'

const pod = (changes: object = {}, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 'team',
    uid: 'u',
    resourceVersion: '1',
    labels,
    annotations: { short: 'kept', long: 'x'.repeat(257) },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'cni', uid: 'd' }],
    managedFields: [{}],
  },
  spec: {
    nodeName: 'n1',
    overhead: { cpu: '250m' },
    tolerations: [{ operator: 'Exists' }],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'c' } },
      { name: 'token', projected: { sources: [] } },
    ],
    initContainers: [{ name: 'side', restartPolicy: 'Always', resources: { requests: { cpu: '10m' } }, env: [] }],
    containers: [
      {
        name: 'main',
        image: 'i:1',
        env: [{ name: 'A', value: 'b' }],
        resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
      },
    ],
  },
  status: {
    phase: 'Running',
    startTime: '2026-06-06T21:00:00Z',
    podIPs: [{ ip: '10.0.0.1' }],
    conditions: [
      { type: 'Initialized', status: 'True', lastTransitionTime: '2026-06-06T21:00:00Z' },
      { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-06-06T21:00:10Z' },
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' },
    ],
    containerStatuses: [
      {
        name: 'main',
        image: 'i:1',
        imageID: 'i@sha256:1',
        restartCount: 3,
        ready: true,
        state: { running: { startedAt: '2026-06-06T21:00:05Z' } },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        volumeMounts: [{ name: 'token' }],
      },
    ],
  },
  ...changes,
})

const foreign = trimForeign(() => false)

describe('a pod of others', () => {
  it('keeps what it takes, how it is and whose it is', () => {
    const whole = pod()
    const [full, trimmed] = [readPodRecord(whole), readPodRecord(foreign(whole))]
    expect(podRequests(trimmed.spec, new Map())).toEqual(podRequests(full.spec, new Map()))
    const { conditions: _a, containers, raw: _b, spec: _c, ...rest } = full
    expect(trimmed).toMatchObject(rest)
    expect(trimmed.containers.map(({ state, last, restarts, image }) => ({ state, last, restarts, image }))).toEqual(
      containers.map(({ state, last, restarts, image }) => ({ state, last, restarts, image })),
    )
    expect(trimmed.conditions.map(({ type }) => type)).toEqual(['Ready', 'PodScheduled'])
    expect(trimmed.spec['volumes']).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }])
  })

  it('loses its environment, its mounts, long annotations and what is well anyhow', () => {
    const text = JSON.stringify(foreign(pod()))
    for (const gone of ['"env"', 'projected', 'xxx', 'managedFields', 'podIPs', 'volumeMounts', 'tolerations']) {
      expect([gone, text.includes(gone)]).toEqual([gone, false])
    }
    expect(text).toContain('"short":"kept"')
  })

  it('may have no field at all', () => {
    const bare = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid: 'u', resourceVersion: '1' } }
    expect(foreign(bare)).toEqual({ ...bare, spec: {}, status: {} })
    expect(foreign({ ...bare, spec: 7, status: { conditions: 'x', containerStatuses: [null] } })).toMatchObject(bare)
  })
})

describe('a pod of the fleet', () => {
  const isOurs = isOfFleet(new Set(['arc-runners']))
  it.each<[string, KubeObject, boolean]>([
    ['in a namespace of the fleet', { ...pod(), metadata: { ...pod().metadata, namespace: 'arc-runners' } }, true],
    ['of a scale set', pod({}, { 'actions.github.com/scale-set-name': 'linux' }), true],
    ['of a runner', pod({}, { 'actions-ephemeral-runner': 'True' }), true],
    ['of a job', pod({}, { 'runner-pod': 'linux-x' }), true],
    ['of the controller', pod({}, { 'app.kubernetes.io/part-of': 'gha-rs-controller' }), true],
    ['of signalbox', pod({}, { 'signalbox.dev/slot': 's' }), true],
    ['of others', pod({}, { 'app.kubernetes.io/part-of': 'shop' }), false],
  ])('%s is known', (_, one, expected) => {
    expect(isOurs(one)).toBe(expected)
    const kept = trimForeign(isOurs)(one)
    expect(JSON.stringify(kept) === JSON.stringify(withoutBulk(one))).toBe(expected)
  })
})

describe('a definition', () => {
  it('keeps its names and versions, and nothing of its schema', () => {
    const definition: KubeObject = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'xs.example.com', uid: 'u', resourceVersion: '1', annotations: { a: 'b' } },
      spec: {
        group: 'example.com',
        names: { plural: 'xs', kind: 'X' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: {} } }],
      },
      status: { conditions: [] },
    }
    expect(withoutSchema(definition)).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'xs.example.com', uid: 'u', resourceVersion: '1' },
      spec: {
        group: 'example.com',
        names: { plural: 'xs', kind: 'X' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true }],
      },
    })
  })
})
