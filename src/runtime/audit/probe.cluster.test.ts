import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { PROBE_LABEL } from '#/audits/probe/probe-plan.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { toFields } from '#/core/basics/fields.ts'
import type { ProbeAnswer } from '#/core/fleet/probe-answer.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { BUSYBOX_IMAGE } from '#test/cluster/busybox-image.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { createNamespace } from '#test/cluster/pods.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { connectBy, unhurried } from '#test/contracts/kubernetes-means.ts'
import { scaleSet } from '#test/fleets/arc-objects.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { probeFleet } from './probe.ts'

const TIMEOUT = { timeout: 400_000 }
const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'

let server: Server
let open: number
/** Nothing listens there, and the system never gives it out. */
const closed = 1

function listening(on: Server): Promise<number> {
  return new Promise((resolve) => on.listen(0, '127.0.0.1', () => resolve((on.address() as AddressInfo).port)))
}

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {})
    // Unread data would keep the connection open.
    socket.resume()
    socket.end('HTTP/1.0 200 OK\r\n\r\n')
  })
  open = await listening(server)
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** The test node has no pod network, so its pods use the host network. Nothing else is changed. */
function onTheMachine(kubernetes: Kubernetes): Kubernetes {
  return {
    ...kubernetes,
    create: (request, signal) => {
      const spec = { ...toFields(request.object['spec']), hostNetwork: true }
      return kubernetes.create({ ...request, object: { ...request.object, spec } }, signal)
    },
  }
}

function makeRunner(changes: Fields): Fields {
  return { image: BUSYBOX_IMAGE, imagePullPolicy: 'Never', ...changes }
}

const means = (signal = unhurried) => ({ signal, clock: systemClock, progress: () => {} })

function onlyAnswer(answers: Observed<readonly ProbeAnswer[]>): ProbeAnswer {
  const [answer] = answers.kind === 'seen' ? answers.value : []
  if (answer === undefined) throw new Error(`no answer: ${JSON.stringify(answers)}`)
  return answer
}

async function probesIn(cluster: NodeCluster, namespace: string): Promise<number> {
  await using kubernetes = connectBy(cluster.kubeconfig)
  const listed = await kubernetes.list({ resource: RESOURCES.pods, namespace, labelSelector: PROBE_LABEL }, unhurried)
  if (listed.kind === 'blind') throw new Error(listed.reason.detail)
  return listed.kind === 'none' ? 0 : listed.value.items.length
}

async function untilGone(cluster: NodeCluster, namespace: string): Promise<void> {
  await until({
    what: 'the end of the probe',
    timeoutMs: 120_000,
    probe: async () => ((await probesIn(cluster, namespace)) === 0 ? true : undefined),
  })
}

describeOnSharedNode('a probe on a real node', (cluster) => {
  test('reports what a runner can reach and read, and is deleted', TIMEOUT, async () => {
    await using kubernetes = connectBy(cluster().kubeconfig)
    const namespace = await createNamespace(cluster(), 'probed')
    await kubernetes.create(
      {
        resource: RESOURCES.configMaps,
        namespace,
        object: { metadata: { name: 'ca' }, data: { 'ca.pem': PEM, 'x.txt': 'x' } },
      },
      unhurried,
    )
    const runner = makeRunner({
      env: [
        { name: 'ATTIC_SERVER', value: `http://127.0.0.1:${open}` },
        { name: 'SCCACHE_ENDPOINT', value: `http://127.0.0.1:${closed}` },
        { name: 'ATTIC_CACHE', valueFrom: { configMapKeyRef: { name: 'gone', key: 'name' } } },
        { name: 'SSL_CERT_FILE', value: '/ca/ca.pem' },
        { name: 'NIX_SSL_CERT_FILE', value: '/ca/x.txt' },
        { name: 'NODE_EXTRA_CA_CERTS', value: '/ca/gone.pem' },
      ],
      volumeMounts: [{ name: 'ca', mountPath: '/ca' }],
    })
    const template = { volumes: [{ name: 'ca', configMap: { name: 'ca' } }] }
    const fleet = buildFleet({ autoscalingrunnersets: [scaleSet('lane', { namespace, runner, template })] })
    const answer = onlyAnswer(await probeFleet(onTheMachine(kubernetes), fleet, means()))
    expect(answer.targets.map(({ from, port, result }) => [from, port, result])).toEqual([
      ['ATTIC_SERVER', open, 'reached'],
      ['SCCACHE_ENDPOINT', closed, 'refused'],
    ])
    expect(answer.bundles.map(({ variable, result }) => [variable, result])).toEqual([
      ['SSL_CERT_FILE', 'readable'],
      ['NIX_SSL_CERT_FILE', 'not-pem'],
      ['NODE_EXTRA_CA_CERTS', 'missing'],
    ])
    expect(answer.variables).toContainEqual({ name: 'ATTIC_CACHE', isSet: false })
    await untilGone(cluster(), namespace)
  })

  test('is blind if its image cannot be pulled, and is deleted', TIMEOUT, async () => {
    await using kubernetes = connectBy(cluster().kubeconfig)
    const namespace = await createNamespace(cluster(), 'probed')
    const runner = makeRunner({
      image: 'signalbox.test/none:1',
      env: [{ name: 'ATTIC_SERVER', value: 'http://127.0.0.1:1' }],
    })
    const fleet = buildFleet({ autoscalingrunnersets: [scaleSet('lane', { namespace, runner })] })
    const answers = await probeFleet(onTheMachine(kubernetes), fleet, means())
    expect(answers.kind === 'blind' && answers.reason.detail).toMatch(/its pod cannot start: ErrImageNeverPull/)
    await untilGone(cluster(), namespace)
  })

  test('leaves nothing when it is interrupted', TIMEOUT, async () => {
    await using kubernetes = connectBy(cluster().kubeconfig)
    const namespace = await createNamespace(cluster(), 'probed')
    // Its image cannot be pulled, so that it still waits at the interruption.
    const runner = makeRunner({
      image: 'signalbox.test/none:1',
      env: [{ name: 'ATTIC_SERVER', value: 'http://127.0.0.1:1' }],
    })
    const fleet = buildFleet({ autoscalingrunnersets: [scaleSet('lane', { namespace, runner })] })
    const interruption = new AbortController()
    const asking = probeFleet(onTheMachine(kubernetes), fleet, means(interruption.signal))
    await until({
      what: 'the pod of the probe',
      timeoutMs: 120_000,
      probe: async () => ((await probesIn(cluster(), namespace)) === 1 ? true : undefined),
    })
    interruption.abort()
    expect(await asking).toMatchObject({ kind: 'blind', reason: { code: 'stopped' } })
    await untilGone(cluster(), namespace)
  })
})
