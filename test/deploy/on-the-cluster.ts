import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { busyboxPod, createPod, untilPhase } from '#test/cluster/pods.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { until } from '#test/cluster/until.ts'
import { NAMESPACE, RELEASE } from './render.ts'

export const READY_MS = 240_000
/** As ARC marks its runners. */
export const LABELS = { 'actions.github.com/scale-set-name': 'linux' }
const CLAIM = `${RELEASE}-data`
const OURS = `app.kubernetes.io/instance=${RELEASE}`

/** Owners that create pods in a namespace that allows none. */
export async function makeRefusedRunners(cluster: NodeCluster, namespace: string): Promise<void> {
  const quota = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } }
  await cluster.callOk({ method: 'POST', path: `/api/v1/namespaces/${namespace}/resourcequotas`, body: quota })
  await untilCounted(cluster, namespace)
  const { spec } = busyboxPod({ name: 'x', namespace, script: 'true', container: { name: 'runner' } })
  const template = { metadata: { labels: LABELS }, spec: { ...spec, restartPolicy: 'Always' } }
  const makers = {
    'batch/v1/jobs': { template: { ...template, spec } },
    'apps/v1/replicasets': { selector: { matchLabels: LABELS }, template },
    'apps/v1/statefulsets': { serviceName: 'linux', selector: { matchLabels: LABELS }, template },
  }
  for (const [place, made] of Object.entries(makers)) {
    const path = `/apis/${place.replace(/[^/]+$/, '')}namespaces/${namespace}/${place.split('/').at(-1)}`
    await cluster.callOk({ method: 'POST', path, body: { metadata: { name: 'linux-runners' }, spec: made } })
  }
}

/** Before the usage is counted, pods are refused for an unknown usage and not for the quota. */
async function untilCounted(cluster: NodeCluster, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`
  const body = busyboxPod({ name: 'probe', namespace, script: 'true' })
  const refused = () => cluster.call({ method: 'POST', path, body })
  await until({
    what: 'the quota to be in force',
    timeoutMs: READY_MS,
    probe: async () => ((await refused()).text.includes('exceeded quota') ? true : undefined),
    explain: async () => (await refused()).text,
  })
}

/** The kubelet mounts a hostPath unchanged, so the user of the server must own it. */
export async function provideVolume(cluster: NodeCluster): Promise<void> {
  const path = join(cluster.folder, 'volume')
  await mkdir(path, { mode: 0o700 })
  await chown(path, 65532, 65532)
  const spec = {
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    claimRef: { namespace: NAMESPACE, name: CLAIM },
    hostPath: { path, type: 'Directory' },
  }
  await cluster.callOk({
    method: 'POST',
    path: '/api/v1/persistentvolumes',
    body: { metadata: { name: 'data' }, spec },
  })
}

export async function untilReady(cluster: NodeCluster): Promise<void> {
  const watch = ['-n', NAMESPACE, 'rollout', 'status', `--timeout=${READY_MS / 1000}s`]
  for (const what of [`deploy/${RELEASE}`, `ds/${RELEASE}-agent`]) {
    await cluster.kubectl([...watch, what]).catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${await describeState(cluster)}`)
    })
  }
}

export async function readMetrics(cluster: NodeCluster): Promise<string> {
  const ask = `
    import { readFileSync } from 'node:fs'
    import { get } from 'node:https'
    const ca = readFileSync('/data/tls/ca.crt')
    get('https://127.0.0.1:8443/metrics', { ca }, (answer) => answer.pipe(process.stdout))`
  return await cluster.kubectl([
    '-n',
    NAMESPACE,
    'exec',
    `deploy/${RELEASE}`,
    '--',
    'node',
    '--input-type=module',
    '-e',
    ask,
  ])
}

/** Waits for the current agent, not a previous one. Returns the metrics with its gauges. */
export async function untilAgentCalls(cluster: NodeCluster): Promise<string> {
  return await until({
    what: 'the agent to be counted',
    timeoutMs: READY_MS,
    probe: async () => {
      const said = await cluster.kubectl(['-n', NAMESPACE, 'logs', `ds/${RELEASE}-agent`])
      if (!said.includes('connected to the server')) return undefined
      const text = await readMetrics(cluster)
      return /^signalbox_agents 1$/m.test(text) ? text : undefined
    },
    explain: () => describeState(cluster),
  })
}

/** With ARC's EphemeralRunner. Returns when the kernel has killed it. */
export async function runGreedyRunner(cluster: NodeCluster, { namespace, name }: PodName): Promise<void> {
  const script = 'echo "Running job: build"; sleep 3; exec tail /dev/zero'
  const kind = { apiVersion: 'actions.github.com/v1alpha1', kind: 'EphemeralRunner' }
  const path = `/apis/${kind.apiVersion}/namespaces/${namespace}/ephemeralrunners`
  const record = (await cluster.callOk({ method: 'POST', path, body: { ...kind, metadata: { name } } })) as Pod
  const ownerReferences = [{ ...kind, name, uid: record.metadata?.uid ?? '', controller: true }]
  const metadata = { name, namespace, labels: LABELS, ownerReferences }
  const container = { name: 'runner' }
  await createPod(cluster, busyboxPod({ name, namespace, script, memory: '32Mi', metadata, container }))
  await untilPhase(cluster, { namespace, name }, 'Failed')
}

export async function describeState(cluster: NodeCluster): Promise<string> {
  const asked = [
    ['get', 'pods,pvc', '-o', 'wide'],
    ['get', 'events'],
    ['logs', `deploy/${RELEASE}`, '--tail=40'],
    ['logs', `ds/${RELEASE}-agent`, '--tail=40'],
  ]
  const answers = await Promise.all(asked.map((args) => cluster.kubectl(['-n', NAMESPACE, ...args]).catch(String)))
  return answers.join('\n')
}

/** Everything of any kind that carries the release's label. */
export async function ofOurs(cluster: NodeCluster): Promise<readonly string[]> {
  const kinds = (await cluster.kubectl(['api-resources', '--verbs=list', '-o', 'name']))
    .split('\n')
    .filter((kind) => kind !== '')
  const found = await cluster.kubectl(['get', kinds.join(','), '-A', '-l', OURS, '-o', 'name', '--ignore-not-found'])
  return found.split('\n').filter((line) => line !== '')
}
