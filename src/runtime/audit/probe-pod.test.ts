import { describe, expect, it } from 'vitest'
import { probePlans } from '#/audits/probe/probe-plan.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { at, listAt, textAt } from '#/core/basics/fields.ts'
import { seen } from '#/core/basics/observed.ts'
import { scaleSet } from '#test/fleets/arc-objects.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'

const attic = { env: [{ name: 'ATTIC_SERVER', value: 'http://attic:8080' }] }
const readSpec = (pod: Fields | undefined): unknown => at(pod, 'spec')
const containerIn = (pod: Fields | undefined): unknown => listAt(pod, 'spec', 'containers')[0]

describe('the probe pod', () => {
  const runner = {
    env: [
      ...attic.env,
      { name: 'ATTIC_TOKEN', valueFrom: { secretKeyRef: { name: 'attic', key: 'token' } } },
      { name: 'GITHUB_PAT', value: 'hunter2' },
      { name: 'SSL_CERT_FILE', value: '/ca/all.pem' },
      { name: 'CACHE_URL', valueFrom: { configMapKeyRef: { name: 'cache', key: 'url' } } },
    ],
    envFrom: [{ secretRef: { name: 'everything' } }, { configMapRef: { name: 'some' } }],
    volumeMounts: [
      { name: 'ca', mountPath: '/ca' },
      { name: 'work', mountPath: '/home/runner/_work' },
    ],
    securityContext: { privileged: true, runAsUser: 0 },
  }
  const template = {
    serviceAccountName: 'deployer',
    hostNetwork: true,
    nodeSelector: { pool: 'heavy' },
    tolerations: [{ key: 'heavy' }],
    imagePullSecrets: [{ name: 'ghcr-pull' }],
    volumes: [
      { name: 'ca', secret: { secretName: 'ca' } },
      { name: 'work', hostPath: { path: '/var' } },
    ],
    containers: [{ name: 'runner', image: 'ghcr.io/acme/runner:1', ...runner }],
  }
  const cache = { env: ['ATTIC_SERVER', 'CACHE_URL', 'ATTIC_TOKEN'] }

  function buildPod(changes: Fields = {}): Fields | undefined {
    const labels = { team: 'a', 'actions-ephemeral-runner': 'True', 'actions.github.com/scale-set-name': 'lane' }
    const set = scaleSet('lane', { spec: { template: { metadata: { labels }, spec: { ...template, ...changes } } } })
    const fleet = buildFleet({ autoscalingrunnersets: [set] }, { fleetFile: seen({ cache }) })
    return probePlans(fleet)[0]?.pod
  }

  it('has no privileges and no service account token', () => {
    expect(readSpec(buildPod())).toMatchObject({
      restartPolicy: 'Never',
      activeDeadlineSeconds: 120,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: 'RuntimeDefault' } },
    })
    const container = containerIn(buildPod())
    expect(at(container, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    expect(Object.keys(readSpec(buildPod()) as object)).not.toContain('serviceAccountName')
    expect(Object.keys(readSpec(buildPod()) as object)).not.toContain('hostNetwork')
  })

  it("runs as the runner's user, unless that is root", () => {
    const pod = buildPod({
      securityContext: { runAsUser: 2000, fsGroup: 3000 },
      containers: [{ name: 'runner', image: 'x', ...attic }],
    })
    expect(at(readSpec(pod), 'securityContext')).toMatchObject({ runAsUser: 2000, fsGroup: 3000, runAsNonRoot: true })
  })

  it('is placed like the runner, with its image, and does not look like one', () => {
    const pod = buildPod()
    expect(readSpec(pod)).toMatchObject({
      nodeSelector: { pool: 'heavy' },
      tolerations: [{ key: 'heavy' }],
      imagePullSecrets: [{ name: 'ghcr-pull' }],
    })
    expect(at(containerIn(pod), 'image')).toBe('ghcr.io/acme/runner:1')
    expect(at(pod, 'metadata', 'labels')).toEqual({ team: 'a', 'signalbox.dev/probe': 'true' })
  })

  it('has the variables of cache and certificates, and no credential', () => {
    const pod = buildPod()
    const names = listAt(containerIn(pod), 'env').map((entry) => textAt(entry, 'name'))
    expect(names.filter((name) => name?.startsWith('SIGNALBOX') === false)).toEqual([
      'ATTIC_SERVER',
      'SSL_CERT_FILE',
      'CACHE_URL',
    ])
    expect(JSON.stringify(pod)).not.toMatch(/hunter2|"everything"|"attic"/)
    expect(at(containerIn(pod), 'envFrom')).toEqual([{ configMapRef: { name: 'some', optional: true } }])
  })

  it('does not wait for missing sources', () => {
    const pod = buildPod()
    expect(JSON.stringify(at(containerIn(pod), 'env'))).toContain('{"name":"cache","key":"url","optional":true}')
    expect(at(readSpec(pod), 'volumes')).toEqual([{ name: 'ca', secret: { secretName: 'ca', optional: true } }])
    expect(at(containerIn(pod), 'volumeMounts')).toEqual([{ name: 'ca', mountPath: '/ca', readOnly: true }])
  })

  it('also checks bundles that only the image may set', () => {
    const pod = buildPod({ containers: [{ name: 'runner', image: 'x', ...attic }] })
    const asked = listAt(containerIn(pod), 'env').find((entry) => textAt(entry, 'name') === 'SIGNALBOX_PROBE_BUNDLES')
    expect(at(asked, 'value')).toBe('SSL_CERT_FILE NIX_SSL_CERT_FILE NODE_EXTRA_CA_CERTS')
  })

  it('leaves out a bundle from a hostPath', () => {
    const pod = buildPod({ volumes: [{ name: 'ca', hostPath: { path: '/etc/ssl' } }] })
    const asked = listAt(containerIn(pod), 'env').find((entry) => textAt(entry, 'name') === 'SIGNALBOX_PROBE_BUNDLES')
    // The other two may come from the ConfigMap.
    expect([at(asked, 'value'), at(readSpec(pod), 'volumes')]).toEqual(['NIX_SSL_CERT_FILE NODE_EXTRA_CA_CERTS', []])
  })
})
