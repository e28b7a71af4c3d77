import { setTimeout as sleep } from 'node:timers/promises'
import type { Container, PodList } from 'kubernetes-types/core/v1.d.ts'
import { toFields, numberAt, textAt } from '#/core/basics/fields.ts'
import type { BundleObject } from '#/ports/bundle.ts'
import { installArc } from '#test/cluster/arc-crds.ts'
import { BUSYBOX_IMAGE } from '#test/cluster/busybox-image.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { untilEvents, untilLogged, untilPhase, untilPod } from '#test/cluster/pods.ts'
import type { RecordedPlan, RecordedSet, Uids } from '#test/cluster/recorded-arc.ts'
import {
  createRecordedPod,
  createRecordedSet,
  recordedObjects,
  recordedPod,
  recordedSet,
} from '#test/cluster/recorded-arc.ts'
import { until } from '#test/cluster/until.ts'

/** A fleet on a real node: ARC's objects of a recording of 0.14.2, and pods that the scheduler and the kubelet judge. */

const IDLE = '0.14.2-healthy-idle'
const WEDGED = '0.14.2-wedged-values-change'
const IMAGE_PULL = '0.14.2-runner-image-pull-401'

export const BUSY_RUNNER = 'linux-x64-462sz-runner-2ltbc'
export const IDLE_RUNNER = 'linux-x64-462sz-runner-m5jlv'
const SYSTEMS = 'arc-systems'

const LISTENS = `while :; do echo "time=$(date -u +%Y-%m-%dT%H:%M:%SZ) level=INFO msg=\\"Getting next message\\" component=listener lastMessageID=0"; sleep 15; done`
const WAITS = `echo "√ Connected to GitHub"; echo "$(date -u +%Y-%m-%d\\ %H:%M:%SZ): Listening for Jobs"; exec sleep 900`
const WORKS = `${WAITS.replace('exec sleep 900', '')} echo "$(date -u +%Y-%m-%d\\ %H:%M:%SZ): Running job: build (linux)"; exec sleep 900`

type Made = { readonly recorded: RecordedSet; readonly uids: Uids }

/** Every runner gets a unique id, because all sets come from few recordings. */
const ids = { next: 9100 }

async function make(
  cluster: NodeCluster,
  plan: RecordedPlan,
  buildStatus: (runner: BundleObject) => object | null = () => null,
): Promise<Made> {
  const recorded = await recordedSet(plan)
  const runners = recorded.runners.map((runner) => {
    ids.next += 1
    return { ...runner, status: { ...toFields(runner['status']), ...buildStatus(runner), runnerId: ids.next } }
  })
  const own = { ...recorded, runners }
  const uids = await createRecordedSet(cluster, own)
  const made = { recorded: own, uids }
  for (const { metadata } of own.listeners) {
    await createRecordedPod(cluster, { ...made, name: metadata.name, script: LISTENS })
  }
  for (const { metadata } of own.listeners) {
    await untilPhase(cluster, { namespace: SYSTEMS, name: metadata.name }, 'Running')
  }
  return made
}

async function startRunner(cluster: NodeCluster, made: Made, name: string, script = WAITS): Promise<void> {
  await createRecordedPod(cluster, { ...made, name, script })
  await untilPhase(cluster, { namespace: made.recorded.namespace, name }, 'Running')
}

/** Returns the time when every waiting pod is past a start time of 10 s, and a runner without a pod past 30 s. */
export async function installLiveFleet(cluster: NodeCluster): Promise<number> {
  await installArc(cluster)
  for (const name of ['arc-runners', 'arc-quota', SYSTEMS]) await createPlace(cluster, name)
  const secret = { metadata: { name: 'gh-pat' }, stringData: { github_token: 'not-a-token' } }
  for (const place of ['arc-runners', 'arc-quota']) {
    await cluster.callOk({ method: 'POST', path: `/api/v1/namespaces/${place}/secrets`, body: secret })
  }
  const refusal = await refusedByQuota(cluster)
  const refusedAt = Date.now()
  await createController(cluster, refusal)
  await healthySets(cluster)
  await unschedulable(cluster)
  await withoutImage(cluster)
  await neverStarting(cluster)
  return Math.max(refusedAt + 31_000, Date.now() + 11_000)
}

async function createPlace({ call, callOk }: NodeCluster, name: string): Promise<void> {
  await callOk({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } })
  const path = `/api/v1/namespaces/${name}/serviceaccounts`
  const answer = await call({ method: 'POST', path, body: { metadata: { name: 'default' } } })
  // The controller-manager may have been faster.
  if (answer.status !== 201 && answer.status !== 409) throw new Error(answer.text)
}

async function healthySets(cluster: NodeCluster): Promise<void> {
  const jobs = (await recordedSet({ recording: WEDGED, of: 'linux-x64' })).runners
  const job = toFields(jobs.find(({ metadata }) => metadata.name === BUSY_RUNNER)?.['status'])
  const linux = await make(cluster, { recording: IDLE, of: 'linux-x64' }, ({ metadata }) =>
    metadata.name === BUSY_RUNNER ? job : null,
  )
  await startRunner(cluster, linux, BUSY_RUNNER, WORKS)
  await startRunner(cluster, linux, IDLE_RUNNER)
  const docker = await make(cluster, { recording: IDLE, of: 'docker-build' })
  for (const { metadata } of docker.recorded.runners) await startRunner(cluster, docker, metadata.name)
}

/** One pod fits into the quota; the second is refused by the API server, and its runner is left as 0.14.2 leaves it. */
async function refusedByQuota(cluster: NodeCluster): Promise<string> {
  const namespace = 'arc-quota'
  const quota = { metadata: { name: 'runners' }, spec: { hard: { pods: '1' } } }
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`
  await cluster.callOk({ method: 'POST', path, body: quota })
  await until({
    what: 'the quota to be counted',
    timeoutMs: 240_000,
    probe: async () => {
      const answer = await cluster.callOk({ path: `${path}/runners` })
      return textAt(answer, 'status', 'used', 'pods') ?? undefined
    },
  })
  const plan = { recording: IDLE, of: 'linux-x64', name: 'gpu', namespace, id: 51 }
  const waiting = 'gpu-462sz-runner-m5jlv'
  const made = await make(cluster, plan, ({ metadata }) =>
    metadata.name === waiting ? { phase: undefined, ready: undefined } : null,
  )
  await startRunner(cluster, made, 'gpu-462sz-runner-2ltbc')
  const body = recordedPod({ ...made, name: waiting, script: WAITS })
  const refused = await cluster.call({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body })
  const words = textAt(JSON.parse(refused.text), 'message') ?? ''
  if (refused.status !== 403 || !words.includes('exceeded quota: runners')) throw new Error(refused.text)
  const about = `{"version": "0.14.2", "ephemeralrunner": {"name":"${waiting}","namespace":"${namespace}"}, "error": ${JSON.stringify(words)}}`
  return `ERROR\tEphemeralRunner\tResource quota is exceeded; requeue in 30s to retry pod creation\t${about}`
}

async function unschedulable(cluster: NodeCluster): Promise<void> {
  const changes = [['"cpu":"20m","ephemeral-storage"', '"cpu":"500","ephemeral-storage"']] as const
  const plan = { recording: IDLE, of: 'docker-build', name: 'huge', id: 52, changes }
  const made = await make(cluster, plan, () => ({ phase: undefined, ready: undefined }))
  const name = 'huge-cggwt-runner-z7mzr'
  await createRecordedPod(cluster, { ...made, name, script: WAITS })
  await untilPod(cluster, { namespace: 'arc-runners', name }, ({ status }) =>
    (status?.conditions ?? []).some(({ reason }) => reason === 'Unschedulable'),
  )
}

/** Nothing listens on that port, so the kubelet fails at once. */
const NOWHERE = '127.0.0.1:1/ci/runner:2.335.1-7'

async function withoutImage(cluster: NodeCluster): Promise<void> {
  const changes = [['registry.example.com/ci/runner:2.335.1-7', NOWHERE]] as const
  const made = await make(cluster, { recording: IMAGE_PULL, of: 'private-img', id: 53, changes })
  const container: Partial<Container> = { image: NOWHERE, imagePullPolicy: 'IfNotPresent' }
  const names = made.recorded.runners.map(({ metadata }) => metadata.name)
  for (const name of names) await createRecordedPod(cluster, { ...made, name, script: WAITS, container })
  for (const name of names) {
    await untilPod(cluster, { namespace: 'arc-runners', name }, ({ status }) =>
      /ErrImagePull|ImagePullBackOff/.test(JSON.stringify(status?.containerStatuses ?? [])),
    )
    await untilEvents(cluster, { namespace: 'arc-runners', name }, ['Failed'])
  }
}

/** Last, and a moment later: a pod that starts after these would show that the node works. */
async function neverStarting(cluster: NodeCluster): Promise<void> {
  const runtime = { metadata: { name: 'kata' }, handler: 'kata-is-not-installed' }
  await cluster.callOk({ method: 'POST', path: '/apis/node.k8s.io/v1/runtimeclasses', body: runtime })
  const plan = { recording: IDLE, of: 'linux-x64', name: 'sandboxed', id: 54 }
  const made = await make(cluster, plan, () => ({ phase: 'Pending', ready: undefined }))
  await sleep(1100)
  for (const { metadata } of made.recorded.runners) {
    const spec = { runtimeClassName: 'kata' }
    await createRecordedPod(cluster, { ...made, name: metadata.name, script: WAITS, spec })
  }
  for (const { metadata } of made.recorded.runners) {
    const pod = { namespace: made.recorded.namespace, name: metadata.name }
    await untilEvents(cluster, pod, ['FailedCreatePodSandBox'])
  }
}

/** A set of 0.14.2 whose listener was removed for a change of its values, over a runner that will never end. */
export async function installWedgedSet(cluster: NodeCluster): Promise<string> {
  const plan = { recording: WEDGED, of: 'docker-build', name: 'docker-late', id: 55 }
  const made = await make(cluster, plan)
  for (const { metadata } of made.recorded.runners) await startRunner(cluster, made, metadata.name)
  return made.recorded.name
}

async function createController(cluster: NodeCluster, line: string): Promise<void> {
  const [deployment] = await recordedObjects(IDLE, 'deployments')
  if (deployment === undefined) throw new Error('the recording has no controller')
  const spec = toFields(deployment['spec'])
  const template = toFields(spec['template'])
  const pod = toFields(template['spec'])
  const [manager] = pod['containers'] as readonly Container[]
  const quoted = line.replaceAll("'", "'\\''")
  const script = `echo "$(date -u +%Y-%m-%dT%H:%M:%SZ)	"'${quoted}'; exec sleep 900`
  const container = { ...manager, image: BUSYBOX_IMAGE, imagePullPolicy: 'Never', command: ['sh', '-c', script] }
  const plain = { hostNetwork: true, automountServiceAccountToken: false, terminationGracePeriodSeconds: 1 }
  const podSpec = { ...plain, containers: [container], volumes: pod['volumes'] }
  const { name, labels, annotations } = deployment.metadata
  const body = {
    metadata: { name, labels, annotations },
    spec: { ...spec, template: { ...template, spec: podSpec } },
  }
  const path = `/apis/apps/v1/namespaces/${SYSTEMS}/deployments`
  await cluster.callOk({ method: 'POST', path, body })
  await until({
    what: 'the controller to be ready',
    timeoutMs: 240_000,
    probe: async () =>
      numberAt(await cluster.callOk({ path: `${path}/${name}` }), 'status', 'readyReplicas') === 1 ? true : undefined,
  })
  // Ready means that the container runs; its line may come later.
  const { items } = (await cluster.callOk({ path: `/api/v1/namespaces/${SYSTEMS}/pods` })) as PodList
  const own = items.find(({ metadata }) => metadata?.name?.startsWith(`${name}-`) === true)
  const running = { namespace: SYSTEMS, name: own?.metadata?.name ?? '' }
  await untilLogged(cluster, running, { container: container.name ?? '', text: 'exceeded quota' })
}

/** GitHub's list as a person saves it: a running runner is online, one with a job is busy. */
export async function savedRunners({ callOk }: NodeCluster): Promise<string> {
  const list = (await callOk({ path: '/apis/actions.github.com/v1alpha1/ephemeralrunners' })) as {
    readonly items: readonly BundleObject[]
  }
  const runners = list.items.map((runner) => ({
    id: numberAt(runner, 'status', 'runnerId'),
    name: runner.metadata.name,
    os: 'linux',
    ephemeral: true,
    status: textAt(runner, 'status', 'phase') === 'Running' ? 'online' : 'offline',
    busy: textAt(runner, 'status', 'jobId') !== null,
    labels: [{ name: textAt(runner, 'metadata', 'labels', 'actions.github.com/scale-set-name'), type: 'read-only' }],
  }))
  return JSON.stringify({ total_count: runners.length, runners })
}
