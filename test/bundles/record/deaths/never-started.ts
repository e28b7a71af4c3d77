import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventList, Pod } from 'kubernetes-types/core/v1.d.ts'
import { BUSYBOX_IMAGE } from '#test/cluster/busybox-image.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { untilPod } from '#test/cluster/pods.ts'
import { until } from '#test/cluster/until.ts'
import { buildLabels } from '#test/bundles/record/runner-pod.ts'
import { LONG_WORK } from '#test/bundles/record/runner-script.ts'
import type { RunnerPlay } from '#test/bundles/record/runner-script.ts'
import type { CollectOrder, Recording, Setup } from '#test/bundles/record/setup.ts'
import { SETTLE_MS, startRunner } from '#test/bundles/record/setup.ts'

const PLAY: RunnerPlay = { job: 'build', wrapper: 'helper', trapsTerm: true, listener: LONG_WORK }

export const imagePull: Recording = {
  name: 'image-pull',
  runner: { namespace: 'ci-gpu', name: 'gpu-t4-b7m2p-runner-h4x9k' },
  repository: 'vision',
  job: 'train-smoke',
  step: 'pytest -k smoke',
  expected: {
    cause: 'image-pull',
    acceptable: [],
    mustNotBe: ['unschedulable', 'degraded-node', 'start-failed', 'no-job-assigned'],
    actor: null,
    maxConfidence: null,
    why: 'The registry answers 404 for the tag; the pod is Pending and its container waits with ErrImagePull or ImagePullBackOff. It was scheduled at once.',
  },
  perform: async (setup) => {
    await using registry = await emptyRegistry()
    const image = `127.0.0.1:${registry.port}/ci/actions-runner:2.335.1-cuda12`
    await startRunner(setup, { play: PLAY, container: { image } })
    await untilWaiting(setup, 'ImagePullBackOff')
    return await settled()
  },
}

export const unschedulable: Recording = {
  name: 'unschedulable',
  runner: { namespace: 'ci-mono', name: 'linux-64x256-9fk2c-runner-7wq5z' },
  repository: 'monorepo',
  job: 'full build',
  step: 'bazel build //...',
  decoys: ['delete-elsewhere'],
  expected: {
    cause: 'unschedulable',
    acceptable: [],
    mustNotBe: ['quota-exceeded', 'image-pull', 'degraded-node', 'evicted-node-pressure'],
    actor: null,
    maxConfidence: null,
    why: 'The pod asks for 64 cores and the only node has two: FailedScheduling, Insufficient cpu. It never had a node.',
  },
  perform: async (setup) => {
    await startRunner(setup, { play: PLAY, container: { resources: { requests: { cpu: '64', memory: '64Mi' } } } })
    const isRefused = ({ status }: Pod): boolean =>
      status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable') === true
    await untilPod(setup.cluster, setup.recording.runner, isRefused)
    return await settled()
  },
}

export const quotaExceeded: Recording = {
  name: 'quota-exceeded',
  runner: { namespace: 'ci-payments', name: 'payments-xl' },
  repository: 'payments',
  job: 'contract tests',
  step: 'gradle contractTest',
  expected: {
    cause: 'quota-exceeded',
    acceptable: [],
    mustNotBe: ['unschedulable', 'force-deleted', 'start-failed', 'registration-denied', 'no-job-assigned'],
    actor: null,
    maxConfidence: null,
    why: 'A Job wants a runner pod of 8 cores in a namespace whose quota ci-compute allows four: each creation is refused ("exceeded quota: ci-compute"), shown by FailedCreate on the Job and by 403 in the audit log. There never was a pod.',
    trap: 'No pod of that name: a rule that reads only pods says that it was deleted.',
  },
  perform: async (setup) => ({ ...(await settled()), subject: await refusedByQuota(setup) }),
}

export const missingSecret: Recording = {
  name: 'start-failed-missing-secret',
  runner: { namespace: 'ci-release', name: 'release-2x4-m8t4d-runner-c6v2j' },
  repository: 'release-tools',
  job: 'publish',
  step: 'make publish',
  expected: {
    cause: 'start-failed',
    acceptable: [],
    mustNotBe: ['image-pull', 'unschedulable', 'degraded-node', 'registration-denied'],
    actor: null,
    maxConfidence: null,
    why: 'The container wants a key of the Secret signing-key, which does not exist: CreateContainerConfigError, `secret "signing-key" not found`.',
  },
  perform: async (setup) => {
    const valueFrom = { secretKeyRef: { name: 'signing-key', key: 'passphrase' } }
    await startRunner(setup, { play: PLAY, container: { env: [{ name: 'PASSPHRASE', valueFrom }] } })
    await untilWaiting(setup, 'CreateContainerConfigError')
    return await settled()
  },
}

export const badCommand: Recording = {
  name: 'start-failed-bad-command',
  runner: { namespace: 'ci-docs', name: 'docs-1x2-k5r8w-runner-p3n6s' },
  repository: 'handbook',
  job: 'render',
  step: 'mkdocs build',
  decoys: ['oom-elsewhere'],
  expected: {
    cause: 'start-failed',
    acceptable: [],
    mustNotBe: ['process-crash', 'killed-in-container', 'runtime-fault', 'oom-container'],
    actor: null,
    maxConfidence: null,
    why: 'The command /home/runner/entrypoint.sh does not exist in the image: StartError, exit code 128, startedAt 1970. The process never ran.',
    trap: 'Exit code 128 and a terminated state look like a crash; an OOM of another pod stands in the same journal.',
  },
  perform: async (setup) => {
    await startRunner(setup, { play: PLAY, container: { command: ['/home/runner/entrypoint.sh'] } })
    await untilPod(setup.cluster, setup.recording.runner, ({ status }) => status?.phase === 'Failed')
    return await settled()
  },
}

export const failedInit: Recording = {
  name: 'start-failed-init-container',
  runner: { namespace: 'ci-docker', name: 'dind-4x8-w2c7n-runner-z8k4m' },
  repository: 'images',
  job: 'bake',
  step: 'docker buildx bake',
  expected: {
    cause: 'start-failed',
    acceptable: [],
    mustNotBe: ['image-pull', 'degraded-node', 'job-failed', 'process-crash'],
    actor: null,
    maxConfidence: null,
    why: 'The init container init-dind-externals ended with 1, so the pod Failed while the runner still waits with PodInitializing.',
  },
  perform: async (setup) => {
    const init = {
      name: 'init-dind-externals',
      image: BUSYBOX_IMAGE,
      command: ['sh', '-c', 'cp -r /home/runner/externals/. /home/runner/tmpDir/'],
    }
    await startRunner(setup, { play: PLAY, spec: { initContainers: [init] } })
    await untilPod(setup.cluster, setup.recording.runner, ({ status }) => status?.phase === 'Failed')
    return await settled()
  },
}

export const degradedNode: Recording = {
  name: 'degraded-node-no-network-plugin',
  runner: { namespace: 'ci-edge', name: 'edge-2x4-q9d3f-runner-x5b7t' },
  repository: 'edge-agent',
  job: 'unit',
  step: 'cargo test',
  expected: {
    cause: 'degraded-node',
    acceptable: [],
    mustNotBe: ['image-pull', 'unschedulable', 'start-failed', 'node-lost'],
    actor: null,
    maxConfidence: null,
    why: 'The node is Ready and took the pod, and cannot make its sandbox: FailedCreatePodSandBox, because the network plugin is not there. No container was created.',
    trap: 'The node says Ready, and pods with hostNetwork start on it.',
  },
  perform: async (setup) => {
    await startRunner(setup, { play: PLAY, spec: { hostNetwork: false } })
    await untilEvent(setup, ({ reason }) => reason === 'FailedCreatePodSandBox')
    return await settled()
  },
}

async function settled(): Promise<CollectOrder> {
  await sleep(SETTLE_MS)
  return { subject: 'pod' }
}

async function untilWaiting({ cluster, recording }: Setup, reason: string): Promise<void> {
  const isWaiting = ({ status }: Pod): boolean => status?.containerStatuses?.[0]?.state?.waiting?.reason === reason
  await untilPod(cluster, recording.runner, isWaiting)
}

async function untilEvent(
  { cluster, recording }: Setup,
  isWanted: (event: EventList['items'][number]) => boolean,
): Promise<EventList['items'][number]> {
  const { namespace } = recording.runner
  return await until({
    what: `an event in ${namespace}`,
    timeoutMs: 240_000,
    probe: async () => {
      const { items } = (await cluster.callOk({ path: `/api/v1/namespaces/${namespace}/events` })) as EventList
      return items.find(isWanted)
    },
  })
}

/** The name of the first pod that the Job could not make. */
async function refusedByQuota(setup: Setup): Promise<PodName> {
  const { cluster, recording } = setup
  const { namespace, name } = recording.runner
  const quota = { metadata: { name: 'ci-compute' }, spec: { hard: { 'requests.cpu': '4', pods: '20' } } }
  await cluster.callOk({ method: 'POST', path: `/api/v1/namespaces/${namespace}/resourcequotas`, body: quota })
  await until({
    what: 'the quota to be counted',
    timeoutMs: 240_000,
    probe: async () => {
      const answer = await cluster.call({ path: `/api/v1/namespaces/${namespace}/resourcequotas/ci-compute` })
      return answer.text.includes('"used"') ? true : undefined
    },
  })
  const container = {
    name: 'runner',
    image: BUSYBOX_IMAGE,
    command: ['/home/runner/run.sh'],
    resources: { requests: { cpu: '8', memory: '64Mi' } },
  }
  const template = { metadata: { labels: buildLabels(`${name}-dtbx6-runner-x`) }, spec: { restartPolicy: 'Never', hostNetwork: true, containers: [container] } }
  const job = { metadata: { name: `${name}-dtbx6-runner` }, spec: { backoffLimit: 0, template } }
  await cluster.callOk({ method: 'POST', path: `/apis/batch/v1/namespaces/${namespace}/jobs`, body: job })
  const { message = '' } = await untilEvent(setup, ({ reason }) => reason === 'FailedCreate')
  const refused = /pods "([^"]+)" is forbidden/.exec(message)?.[1]
  if (refused === undefined) throw new Error(`the event names no pod: ${message}`)
  return { namespace, name: refused }
}

/** A registry that has nothing. */
async function emptyRegistry(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((request, response) => {
    const isPing = request.url === '/v2/'
    response.writeHead(isPing ? 200 : 404, { 'content-type': 'application/json' })
    response.end(isPing ? '{}' : '{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
  }
  return { port, [Symbol.asyncDispose]: close }
}
