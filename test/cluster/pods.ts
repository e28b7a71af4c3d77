import { randomBytes } from 'node:crypto'
import type { Container, EventList, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { ObjectMeta } from 'kubernetes-types/meta/v1.d.ts'
import { BUSYBOX_IMAGE } from './busybox-image.ts'
import type { ControlPlane } from './control-plane.ts'
import { until } from './until.ts'

export interface BusyboxPod {
  readonly name: string
  readonly namespace: string
  /** For `sh -c`. */
  readonly script: string
  /** The limit, for example `32Mi`; beyond it the kernel kills. */
  readonly memory?: string
  /** Merged over what the builder writes, one level deep. */
  readonly metadata?: ObjectMeta
  readonly spec?: Partial<PodSpec>
  readonly container?: Partial<Container>
}

/** A pod that runs a shell script on the node, at once and once. */
export function busyboxPod(plan: BusyboxPod): Pod {
  const limits = plan.memory === undefined ? {} : { limits: { memory: plan.memory } }
  const main: Container = {
    name: 'main',
    image: BUSYBOX_IMAGE,
    imagePullPolicy: 'Never',
    command: ['sh', '-c', plan.script],
    resources: limits,
    ...plan.container,
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: plan.name, namespace: plan.namespace, ...plan.metadata },
    spec: {
      // The node has no pod network.
      hostNetwork: true,
      restartPolicy: 'Never',
      // As PID 1 a shell ignores SIGTERM, and every deletion would take the 30 s of the default.
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [main],
      ...plan.spec,
    },
  }
}

/** A new namespace with the default service account that pods need; returns its name. */
export async function createNamespace(cluster: ControlPlane, prefix = 'test'): Promise<string> {
  const name = `${prefix}-${randomBytes(4).toString('hex')}`
  await cluster.callOk({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } })
  made.set(cluster.url, [...(made.get(cluster.url) ?? []), name])
  const answer = await cluster.call({
    method: 'POST',
    path: `/api/v1/namespaces/${name}/serviceaccounts`,
    body: { metadata: { name: 'default' } },
  })
  // The controller-manager, if there is one, may have been faster.
  if (answer.status !== 201 && answer.status !== 409) throw new Error(`no default service account: ${answer.text}`)
  return name
}

/** By the address of the cluster. */
const made = new Map<string, string[]>()

/** Deletes the pods of all namespaces that this test file made, without waiting. */
export async function removePods(cluster: ControlPlane): Promise<void> {
  await Promise.all(
    (made.get(cluster.url) ?? []).map((name) =>
      cluster.callOk({ method: 'DELETE', path: `/api/v1/namespaces/${name}/pods?gracePeriodSeconds=1` }),
    ),
  )
  made.delete(cluster.url)
}

export async function createPod(cluster: ControlPlane, pod: Pod): Promise<Pod> {
  const path = `/api/v1/namespaces/${pod.metadata?.namespace ?? 'default'}/pods`
  return (await cluster.callOk({ method: 'POST', path, body: pod })) as Pod
}

export interface PodName {
  readonly namespace: string
  readonly name: string
}

export function podPath({ namespace, name }: PodName): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`
}

/** The pod as it is, or undefined if there is none of that name. */
export async function readPod(cluster: ControlPlane, pod: PodName): Promise<Pod | undefined> {
  const answer = await cluster.call({ path: podPath(pod) })
  if (answer.status === 404) return undefined
  if (answer.status !== 200) throw new Error(`reading pod ${pod.name} got ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text) as Pod
}

const POD_TIMEOUT_MS = 240_000

/** Waits until the pod is as wanted and returns it; it polls, so states of a few milliseconds may be missed. */
export async function untilPod(
  cluster: ControlPlane,
  name: PodName,
  isAsWanted: (pod: Pod) => boolean,
  timeoutMs = POD_TIMEOUT_MS,
): Promise<Pod> {
  let last: Pod | undefined
  return await until({
    what: `pod ${name.namespace}/${name.name}`,
    timeoutMs,
    explain: () => explainPod(cluster, name, last),
    probe: async () => {
      last = await readPod(cluster, name)
      return last !== undefined && isAsWanted(last) ? last : undefined
    },
  })
}

export async function untilPhase(cluster: ControlPlane, name: PodName, phase: string): Promise<Pod> {
  return await untilPod(cluster, name, (pod) => pod.status?.phase === phase)
}

export async function readLog(cluster: ControlPlane, pod: PodName, container = 'main'): Promise<string> {
  const answer = await cluster.call({ path: `${podPath(pod)}/log?container=${container}` })
  // The container runs and has not written anything yet.
  if (answer.status === 204) return ''
  if (answer.status !== 200) throw new Error(`the log of ${pod.name} got ${answer.status}: ${answer.text}`)
  return answer.text
}

/** A running container may not have written its log yet. */
export async function untilLogged(
  cluster: ControlPlane,
  pod: PodName,
  { container = 'main', text }: { readonly container?: string; readonly text: string },
): Promise<string> {
  return await until({
    what: `"${text}" in the log of ${pod.name}`,
    timeoutMs: POD_TIMEOUT_MS,
    explain: () => readLog(cluster, pod, container).catch(String),
    probe: async () => {
      const log = await readLog(cluster, pod, container)
      return log.includes(text) ? log : undefined
    },
  })
}

/** Events are written after what they report. */
export async function untilEvents(cluster: ControlPlane, pod: PodName, reasons: readonly string[]): Promise<void> {
  const path = `/api/v1/namespaces/${pod.namespace}/events?fieldSelector=involvedObject.name%3D${pod.name}`
  const readReasons = async (): Promise<readonly (string | undefined)[]> => {
    const { items } = (await cluster.callOk({ path })) as EventList
    return items.map(({ reason }) => reason)
  }
  await until({
    what: `${reasons.join(', ')} of pod ${pod.name}`,
    timeoutMs: POD_TIMEOUT_MS,
    explain: async () => (await readReasons()).join(', '),
    probe: async () => {
      const known = await readReasons()
      return reasons.every((reason) => known.includes(reason)) ? true : undefined
    },
  })
}

async function explainPod(cluster: ControlPlane, name: PodName, last: Pod | undefined): Promise<string> {
  const events = await cluster.kubectl(['get', 'events', '-n', name.namespace]).catch(String)
  return `last status: ${JSON.stringify(last?.status, null, 1)}\nevents:\n${events}`
}
