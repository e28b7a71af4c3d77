import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { numberAt, textAt, toFields } from '#/core/basics/fields.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import { installArc } from '#test/cluster/arc-crds.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { createRecordedSet, recordedObjects, recordedPod, recordedSet } from '#test/cluster/recorded-arc.ts'
import { until } from '#test/cluster/until.ts'
import { REPOSITORY, SkippingClock, register } from '#test/reap/simulated-fleet.ts'

const ARC = '/apis/actions.github.com/v1alpha1'
const MERGE = 'application/merge-patch+json'
const RECORDED_URL = 'https://github.com/example-org'
export const [RUNNERS, SYSTEMS, HOME] = ['arc-runners', 'arc-systems', 'signalbox'] as const
export const [LANE, WEDGED] = ['linux-x64', 'docker-build'] as const

/** What a person would act on: an offline runner, a wedged set, a lane, and a listener that cannot pull its image. */
export type ActedFleet = AsyncDisposable & {
  readonly clock: SkippingClock
  readonly env: Readonly<Record<string, string>>
  readonly fleetFile: string
  readonly offline: string
  /** Of the version and with the strategy under which a cap is allowed. */
  readonly startController: () => Promise<void>
  /** As ARC does it after a change of the bounds, until the signal. */
  readonly followBounds: (signal: AbortSignal) => Promise<void>
  readonly breakListener: () => Promise<void>
}

export async function createActedFleet(cluster: ApiServer, folder: string): Promise<ActedFleet> {
  const { callOk } = cluster
  await installArc(cluster)
  for (const name of [RUNNERS, SYSTEMS, HOME]) await createPlace(cluster, name)
  await createSilentNode(cluster)
  const clock = new SkippingClock()
  // The objects are made now, and no gate has to wait for their age.
  clock.aheadMs = 3_600_000
  const sim = createSimGitHub({ clock })
  sim.world.addOrganization('acme')
  sim.world.addRepository(REPOSITORY)
  sim.install('acme')
  const served = await serveGitHub((request) => sim.fetch(request))
  const ids = new Map<string, number>()
  const changes = [[RECORDED_URL, `${served.url}/${REPOSITORY}`]] as const
  const settle = async (recording: string, of: string, id: number) => {
    const recorded = await recordedSet({ recording, of, id, namespace: RUNNERS, changes })
    const runners = recorded.runners.map((one) => Object.assign({}, one, register(toFields(one), { sim, ids })))
    return { recorded, uids: await createRecordedSet(cluster, { ...recorded, runners }) }
  }
  const lane = await settle('0.14.2-healthy-idle', LANE, 1)
  await settle('0.14.2-wedged-values-change', WEDGED, 2)
  const offline = lane.recorded.runners[0]?.metadata.name ?? ''
  sim.world.runnerVanishes(ids.get(offline) ?? 0)

  const pods = `/api/v1/namespaces/${SYSTEMS}/pods`
  const listener = lane.recorded.listeners[0]?.metadata.name ?? ''
  const startListener = async (): Promise<void> => {
    const pod = recordedPod({
      recorded: lane.recorded,
      name: listener,
      uids: lane.uids,
      script: 'true',
      spec: { nodeName: NODE },
    })
    await callOk({ method: 'POST', path: pods, body: pod })
    const state = { running: { startedAt: new Date().toISOString() } }
    await setState(cluster, `${pods}/${listener}`, 'Running', state)
  }
  await startListener()
  const readBounds = async () => {
    const set = await callOk({ path: `${ARC}/namespaces/${RUNNERS}/autoscalingrunnersets/${LANE}` })
    return { minRunners: numberAt(set, 'spec', 'minRunners'), maxRunners: numberAt(set, 'spec', 'maxRunners') }
  }
  const value = Buffer.from('{"auths":{"ghcr.io":{"auth":"cm9ib3Q6cGFzc3dvcmQ="}}}').toString('base64')
  const secret = { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': value } }
  const secretPath = `/api/v1/namespaces/${RUNNERS}/secrets`
  await callOk({ method: 'POST', path: secretPath, body: { metadata: { name: 'pull' }, ...secret } })
  const fleetFile = join(folder, 'fleet.yaml')
  await writeFile(fleetFile, FLEET)
  return {
    clock,
    env: { SIGNALBOX_GITHUB_TOKEN: sim.personalToken('acme'), SIGNALBOX_GITHUB_BASE_URL: served.url },
    fleetFile,
    offline,
    startController: async () => await createController(cluster),
    followBounds: async (signal) => {
      let known = await readBounds()
      await until({
        what: 'the commands to end',
        timeoutMs: 300_000,
        probe: async () => {
          const spec = await readBounds()
          if (JSON.stringify(spec) !== JSON.stringify(known)) {
            known = spec
            const path = `${ARC}/namespaces/${SYSTEMS}/autoscalinglisteners/${listener}`
            await callOk({ method: 'PATCH', path, contentType: MERGE, body: { spec } })
            await callOk({ method: 'DELETE', path: `${pods}/${listener}?gracePeriodSeconds=0` })
            await startListener()
          }
          return signal.aborted ? true : undefined
        },
      })
    },
    breakListener: async () => {
      const ownerReferences = [
        { apiVersion: 'actions.github.com/v1alpha1', kind: 'AutoscalingListener', name: 'stuck', uid: 'uid-stuck' },
      ]
      const labels = { 'app.kubernetes.io/component': 'runner-scale-set-listener' }
      const spec = { containers: [{ name: 'listener', image: 'ghcr.io/x:1' }], imagePullSecrets: [{ name: 'pull' }] }
      await callOk({ method: 'POST', path: pods, body: { metadata: { name: 'stuck', labels, ownerReferences }, spec } })
      await setState(cluster, `${pods}/stuck`, 'Pending', {
        waiting: { reason: 'ImagePullBackOff', message: 'denied' },
      })
    },
    [Symbol.asyncDispose]: async () => await served.stop(),
  }
}

const FLEET = `apiVersion: signalbox.dev/v1alpha1
kind: Fleet
metadata: { name: test }
spec:
  pullSecrets:
    - { name: pull, authoritative: { namespace: ${RUNNERS} }, copies: [{ namespace: ${SYSTEMS} }] }
`

async function createPlace({ callOk }: ApiServer, name: string): Promise<void> {
  await callOk({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } })
  const path = `/api/v1/namespaces/${name}/serviceaccounts`
  await callOk({ method: 'POST', path, body: { metadata: { name: 'default' } } })
}

const NODE = 'silent'

/** Its kubelet does not answer, so no log can be read; only a new pod proves that a listener has the new bounds. */
async function createSilentNode({ callOk }: ApiServer): Promise<void> {
  await callOk({ method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: NODE } } })
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }]
  const body = { status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 1 } } } }
  await callOk({ method: 'PATCH', path: `/api/v1/nodes/${NODE}/status`, contentType: MERGE, body })
}

async function setState({ callOk }: ApiServer, path: string, phase: string, state: object): Promise<void> {
  const container = { name: 'listener', ready: phase === 'Running', restartCount: 0, image: 'x', imageID: '', state }
  const body = { status: { phase, containerStatuses: [container] } }
  await callOk({ method: 'PATCH', path: `${path}/status`, contentType: MERGE, body })
}

/** Under the other strategy a change of the bounds would wedge the set. */
async function createController({ callOk }: ApiServer): Promise<void> {
  const [controller] = await recordedObjects('0.14.2-healthy-idle', 'deployments')
  if (controller === undefined) throw new Error('the recording has no controller')
  const labels = toFields(toFields(controller['metadata'])['labels'])
  const body = { metadata: { name: textAt(controller, 'metadata', 'name'), labels }, spec: controller['spec'] }
  const text = JSON.stringify(body).replaceAll(/--update-strategy=\w+/g, '--update-strategy=immediate')
  await callOk({
    method: 'POST',
    path: `/apis/apps/v1/namespaces/${SYSTEMS}/deployments`,
    body: JSON.parse(text) as object,
  })
}
