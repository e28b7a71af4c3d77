import { readFileSync } from 'node:fs'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { textAt } from '#/core/basics/fields.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { ARC_KINDS, createObject } from '#test/cluster/arc-crds.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { busyboxPod, createNamespace, createPod, podPath, readPod, untilPhase, untilPod } from '#test/cluster/pods.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { until } from '#test/cluster/until.ts'

const WAIT_MS = 120_000
const STAMP = 'signalbox.dev/working'

/** Runs until somebody writes the file, as a job that takes its time. */
const UNTIL_FINISHED = 'while [ ! -e /tmp/finished ]; do sleep 0.1; done'

export type RunnerWish = {
  readonly name: string
  readonly namespace: string
  readonly hasJob?: boolean
  readonly resources?: object
}

/** A runner of ARC's shape: a record that names its job, and the pod of that record. */
export async function startRunner(cluster: NodeCluster, wish: RunnerWish): Promise<PodName> {
  const { name, namespace, hasJob = true, resources = {} } = wish
  const labels = { 'actions.github.com/scale-set-name': 'lane' }
  const job = hasJob ? { jobDisplayName: 'build', jobRepositoryName: 'acme/app', workflowRunId: 9 } : {}
  await createObject(cluster, ARC_KINDS.ephemeralRunner, {
    namespace,
    name,
    metadata: { labels },
    spec: { githubConfigUrl: 'https://github.com/acme' },
    status: { phase: 'Running', runnerName: name, ...job },
  })
  const record = await cluster.callOk({ path: recordPath({ namespace, name }) })
  const owner = { apiVersion: 'actions.github.com/v1alpha1', kind: 'EphemeralRunner', name, controller: true }
  const ownerReferences = [{ ...owner, uid: textAt(record, 'metadata', 'uid') ?? '' }]
  const metadata = { name, namespace, labels, ownerReferences }
  const container = { name: 'runner', resources }
  await createPod(cluster, busyboxPod({ namespace, name, script: UNTIL_FINISHED, metadata, container }))
  await untilPhase(cluster, { namespace, name }, 'Running')
  return { namespace, name }
}

export function recordPath({ namespace, name }: PodName): string {
  return `/apis/actions.github.com/v1alpha1/namespaces/${namespace}/ephemeralrunners/${name}`
}

export async function finishJob(cluster: NodeCluster, { namespace, name }: PodName): Promise<void> {
  await cluster.kubectl(['exec', '-n', namespace, name, '-c', 'runner', '--', 'touch', '/tmp/finished'])
}

export function hasStamp(pod: Pod): boolean {
  return pod.metadata?.labels?.[STAMP] === 'true'
}

/** `serve` has looked at it. */
export async function untilStamped(cluster: NodeCluster, pod: PodName): Promise<Pod> {
  return await untilPod(cluster, pod, hasStamp, WAIT_MS)
}

export async function untilBare(cluster: NodeCluster, pod: PodName): Promise<Pod> {
  return await untilPod(cluster, pod, (one) => !hasStamp(one), WAIT_MS)
}

export async function untilGone(cluster: NodeCluster, pod: PodName): Promise<void> {
  await until({
    what: `pod ${pod.name} to go`,
    timeoutMs: WAIT_MS,
    explain: async () => JSON.stringify(await readPod(cluster, pod)),
    probe: async () => ((await readPod(cluster, pod)) === undefined ? true : undefined),
  })
}

export async function runGuard(cluster: NodeCluster, args: readonly string[]) {
  return await runInProcess(['guard', ...args, '--kubeconfig', cluster.kubeconfig])
}

/** The pod first, then its record. */
export async function untilRecordStamped(cluster: NodeCluster, runner: PodName): Promise<void> {
  await until({
    what: `the record of ${runner.name} to be stamped`,
    timeoutMs: WAIT_MS,
    probe: async () => {
      const record = await cluster.callOk({ path: recordPath(runner) })
      return textAt(record, 'metadata', 'labels', STAMP) === 'true' ? true : undefined
    },
  })
}

/** The API server compiles each policy some time after it was applied: dry runs show when. A pod may have no record. */
export async function untilRefused(cluster: NodeCluster, pod: PodName): Promise<void> {
  await until({
    what: `the deletion of ${pod.name} and of its record to be refused`,
    timeoutMs: WAIT_MS,
    probe: async () => {
      const own = await cluster.call({ method: 'DELETE', path: `${podPath(pod)}?dryRun=All` })
      const record = await cluster.call({ method: 'DELETE', path: `${recordPath(pod)}?dryRun=All` })
      return own.status === 403 && [403, 404].includes(record.status) ? true : undefined
    },
  })
}

export type AuditLine = {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource?: string; readonly name?: string; readonly namespace?: string }
  readonly responseStatus?: { readonly code?: number }
  readonly annotations?: Readonly<Record<string, string>>
}

/** Waits for a line of the audit log; it is written before the client has its answer. */
export async function untilAudited(
  cluster: NodeCluster,
  what: string,
  isIt: (line: AuditLine) => boolean,
): Promise<AuditLine> {
  const read = (): AuditLine | undefined =>
    readFileSync(cluster.auditLog, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"delete'))
      .map((line) => parseLine(line))
      .findLast((line) => line !== null && isIt(line)) ?? undefined
  return await until({ what: `${what} in the audit log`, timeoutMs: 240_000, probe: async () => read() })
}

/** The last line may be written just now. */
function parseLine(line: string): AuditLine | null {
  try {
    return JSON.parse(line) as AuditLine
  } catch {
    return null
  }
}

export async function createRunnerNamespaces(
  cluster: NodeCluster,
  prefixes: readonly string[],
): Promise<readonly string[]> {
  return await Promise.all(prefixes.map((prefix) => createNamespace(cluster, prefix)))
}
