import { Agent } from 'undici'
import type { ControlPlane } from '#test/cluster/control-plane.ts'
import { createNamespace } from '#test/cluster/pods.ts'
import { readRecordedFleet } from './recorded-fleet.ts'

/** Runner pods on a real API server whose nodes nobody is: what a kubelet would write is written by us. */
export type ImitatedFleet = {
  readonly namespace: string
  readonly add: (count: number) => Promise<readonly string[]>
  /** The kernel killed the runner's container for its memory, as a kubelet reports it. */
  readonly end: (name: string) => Promise<void>
  readonly close: () => Promise<void>
}

const CONNECTIONS = 32
const PODS_PER_NODE = 50

export async function imitateFleet(cluster: ControlPlane): Promise<ImitatedFleet> {
  const namespace = await createNamespace(cluster, 'bench')
  const template = await recordedRunner()
  const dispatcher = new Agent({ connections: CONNECTIONS, connect: { ca: cluster.certificateAuthority } })
  const call = async (method: 'POST' | 'PATCH', where: string, body: unknown): Promise<void> => {
    const { statusCode, body: answer } = await dispatcher.request({
      origin: cluster.url,
      path: where,
      method,
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${cluster.adminToken}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
    })
    const text = await answer.text()
    if (statusCode >= 300) throw new Error(`${method} ${where}: ${statusCode} ${text}`)
  }
  const pods = `/api/v1/namespaces/${namespace}/pods`
  let made = 0
  const addOne = async (): Promise<string> => {
    const index = made
    made += 1
    const name = `gpu-6hbjd-runner-${index.toString(36).padStart(5, '0')}`
    const node = `imitated-${Math.floor(index / PODS_PER_NODE)}`
    if (index % PODS_PER_NODE === 0) await call('POST', '/api/v1/nodes', { metadata: { name: node } })
    await call('POST', pods, makePod(template, { name, namespace, node }))
    await call('PATCH', `${pods}/${name}/status`, { status: running(template.status) })
    return name
  }
  return {
    namespace,
    add: async (count) => {
      const names: string[] = []
      const left = { count }
      const worker = async (): Promise<void> => {
        while (left.count > 0) {
          left.count -= 1
          names.push(await addOne())
        }
      }
      await Promise.all(Array.from({ length: CONNECTIONS }, worker))
      return names
    },
    end: (name) => call('PATCH', `${pods}/${name}/status`, { status: ended(template.status) }),
    close: () => dispatcher.close(),
  }
}

type RecordedPod = {
  readonly metadata: { readonly name: string; readonly labels: object; readonly annotations?: object }
  readonly spec: Fields
  readonly status: RecordedStatus
}
type RecordedStatus = { readonly containerStatuses: readonly Fields[] }

async function recordedRunner(): Promise<RecordedPod> {
  const pods = (await readRecordedFleet()).get('kubernetes/pods.json') ?? '{"items":[]}'
  const { items } = JSON.parse(pods) as { readonly items: readonly RecordedPod[] }
  const runner = items.find(({ metadata }) => metadata.name.includes('-runner-'))
  if (runner === undefined) throw new Error('the recording has no runner')
  return runner
}

function makePod(
  { metadata: { labels, annotations }, spec }: RecordedPod,
  { name, namespace, node }: { readonly name: string; readonly namespace: string; readonly node: string },
): object {
  // Volumes and the account of the recording are not there; everything else is as ARC wrote it.
  const own = without(spec, ['serviceAccount', 'serviceAccountName', 'volumes'])
  const containers = (spec['containers'] as readonly Fields[]).map((one) => without(one, ['volumeMounts']))
  return { metadata: { name, namespace, labels, annotations }, spec: { ...own, containers, nodeName: node } }
}

type Fields = Readonly<Record<string, unknown>>

function without(fields: Fields, left: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !left.includes(key)))
}

function running(status: RecordedStatus): object {
  return { ...status, phase: 'Running' }
}

function ended({ containerStatuses }: RecordedStatus): object {
  const now = new Date().toISOString()
  const terminated = {
    exitCode: 137,
    reason: 'OOMKilled',
    startedAt: now,
    finishedAt: now,
    containerID: 'containerd://1',
  }
  return {
    phase: 'Failed',
    containerStatuses: containerStatuses.map((one) => ({
      ...one,
      ready: false,
      started: false,
      state: { terminated },
    })),
  }
}
