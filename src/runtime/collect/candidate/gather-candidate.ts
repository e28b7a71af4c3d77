import { at, textAt } from '#/core/basics/fields.ts'
import { blind, describeReason } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { ActCandidate, CandidateNow, RunnerNow } from '#/ports/act-candidate.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { withoutLastApplied } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { listFile } from '#/runtime/collect/lists/list-file.ts'
import { readNamed } from '#/runtime/collect/lists/read-named.ts'
import { readLog, toTailRequest } from '#/runtime/collect/pods/container-logs.ts'
import { createAnswers } from '#/runtime/collect/request/answers.ts'
import type { Answers } from '#/runtime/collect/request/answers.ts'
import { planContainers, plannedRunner } from '#/runtime/collect/request/targets.ts'

export type CandidateFiles = {
  readonly kind: 'gathered'
  readonly files: ReadonlyMap<string, string>
  readonly meta: BundleMeta
}

export type GatherMeans = { readonly kubernetes: Kubernetes; readonly clock: Pick<Clock, 'now'> }

/** Of all runners together, and of each. */
const MOST_LOG_BYTES = 4 * 1024 * 1024
const LOG_BYTES = 256 * 1024

type Name = { readonly namespace: string; readonly name: string }

/**
 * What an act is about to remove, as a bundle: the records and pods as they are now, their events, the end of the runner's
 * log, and GitHub's rows as the gates saw them. Blind if a record or a pod cannot be read: then nothing may be removed. A log
 * that cannot be read is only said to be blind in the bundle.
 */
export async function gatherCandidate(
  means: GatherMeans,
  { candidate, now }: { readonly candidate: ActCandidate; readonly now: CandidateNow },
  signal: AbortSignal,
): Promise<CandidateFiles | Blind> {
  const { runners } = candidate
  const pods = await readPods(means, runners, signal)
  if ('kind' in pods) return pods
  const records = await readEach(runners, async ({ namespace, name }) =>
    means.kubernetes.get({ resource: RESOURCES.ephemeralRunners, namespace, name, trim: withoutLastApplied }, signal),
  )
  if ('kind' in records) return records
  return await toFiles(means, { names: runners, pods, records, github: now.runners }, signal)
}

/** The same for a pod that is no runner: it has no record, and GitHub does not know it. */
export async function gatherPod(means: GatherMeans, pod: Name, signal: AbortSignal): Promise<CandidateFiles | Blind> {
  const pods = await readPods(means, [pod], signal)
  return 'kind' in pods ? pods : await toFiles(means, { names: [pod], pods, records: null, github: null }, signal)
}

type Read = {
  readonly names: readonly Name[]
  readonly pods: readonly KubeObject[]
  readonly records: readonly KubeObject[] | null
  readonly github: readonly RunnerNow[] | null
}

async function toFiles(
  { kubernetes, clock }: GatherMeans,
  { names, pods, records, github }: Read,
  signal: AbortSignal,
): Promise<CandidateFiles> {
  const collectedAt = clock.now()
  const answers = createAnswers()
  const files = new Map<string, string>()
  const put = ({ path, content }: BundleFile): void => {
    if (typeof content === 'string') files.set(path, content)
  }
  const add = (name: 'pods' | 'ephemeralrunners' | 'events', items: readonly object[]): void => {
    const { file } = listFile(name, items)
    put(file)
    answers.looked(`kubernetes/${name}`, { remark: 'only of what the act is about' })
  }
  add('pods', pods)
  if (records !== null) add('ephemeralrunners', records)
  const events = await readEvents(kubernetes, names, signal)
  if ('kind' in events) answers.blind('kubernetes/events', events.reason)
  else add('events', events)
  const bytes = Math.min(LOG_BYTES, Math.floor(MOST_LOG_BYTES / Math.max(1, pods.length)))
  for (const pod of pods) {
    for (const file of await readRunnerLog({ kubernetes, answers, bytes }, pod, signal)) put(file)
  }
  if (github !== null) addGitHub(files, answers, github)
  return { kind: 'gathered', files, meta: { collectedAt, subject: subjectIn(pods), sources: answers.sources() } }
}

async function readPods(
  { kubernetes }: GatherMeans,
  names: readonly Name[],
  signal: AbortSignal,
): Promise<readonly KubeObject[] | Blind> {
  return await readEach(names, async ({ namespace, name }) =>
    readNamed(kubernetes, { resource: RESOURCES.pods, namespace, name, trim: withoutLastApplied }, signal),
  )
}

async function readEach(
  names: readonly Name[],
  get: (name: Name) => Promise<Observed<KubeObject>>,
): Promise<readonly KubeObject[] | Blind> {
  const found: KubeObject[] = []
  for (const one of names) {
    const object = await get(one)
    if (object.kind === 'seen') found.push(object.value)
    // A cluster without the kind has none of it.
    if (object.kind === 'blind' && object.reason.code !== 'unsupported') {
      const { code } = object.reason
      return blind(code, `${one.namespace}/${one.name} cannot be kept: ${describeReason(object.reason)}`)
    }
  }
  return found
}

async function readEvents(
  kubernetes: Kubernetes,
  names: readonly Name[],
  signal: AbortSignal,
): Promise<readonly KubeObject[] | Blind> {
  const found: KubeObject[] = []
  const own = new Set(names.map(({ namespace, name }) => `${namespace}/${name}`))
  for (const namespace of new Set(names.map((one) => one.namespace))) {
    const listed = await kubernetes.list({ resource: RESOURCES.events, namespace }, signal)
    if (listed.kind === 'blind') return listed
    const items = listed.kind === 'seen' ? listed.value.items : []
    found.push(...items.filter((event) => own.has(`${namespace}/${textAt(event, 'involvedObject', 'name')}`)))
  }
  return found
}

type LogMeans = { readonly kubernetes: Kubernetes; readonly answers: Answers; readonly bytes: number }

async function readRunnerLog({ kubernetes, answers, bytes }: LogMeans, pod: KubeObject, signal: AbortSignal) {
  const containers = planContainers(pod)
  const name = plannedRunner(containers)
  const container = containers.find((one) => one.name === name) ?? containers.find(({ role }) => role === 'main')
  const { namespace = '', name: podName } = pod.metadata
  if (container === undefined) return []
  const order = { namespace, pod: podName, container, startedAt: null }
  const { files, answer } = await readLog(order, (request) =>
    kubernetes.logTail({ ...request, ...toTailRequest(bytes) }, signal),
  )
  const source = `logs/${namespace}/${podName}/${container.name}`
  if (answer.kind === 'looked') answers.looked(source, { from: answer.from, remark: answer.remark })
  else answers.blind(source, answer.reason)
  return files
}

function addGitHub(files: Map<string, string>, answers: Answers, runners: readonly RunnerNow[]): void {
  const rows = runners.flatMap(({ snapshot: { subject, github } }) => {
    if (github.observed.kind !== 'seen') return []
    const { id, isOnline, isBusy } = github.observed.value
    return [{ id, name: subject.name, status: isOnline ? 'online' : 'offline', busy: isBusy }]
  })
  const unseen = runners.map(({ snapshot }) => snapshot.github.observed).find((one) => one.kind === 'blind')
  if (unseen !== undefined) return answers.blind('github/runners', unseen.reason)
  files.set(bundlePath.githubRunners, `${JSON.stringify({ total_count: rows.length, runners: rows })}\n`)
  return answers.looked('github/runners', { remark: 'only of what the act is about, as the gates saw it' })
}

/** `why` asks for one subject; without one it names all that it finds. */
function subjectIn(pods: readonly KubeObject[]): BundleMeta['subject'] {
  const [pod, ...more] = pods
  if (pod === undefined || more.length > 0) return {}
  const { namespace = '', name, uid } = pod.metadata
  const node = at(pod, 'spec', 'nodeName')
  return { namespace, pod: name, uid, ...(typeof node === 'string' ? { node } : {}) }
}
