import type { BundleSubject } from '#/core/evidence/bundle-meta.ts'
import { isOfArc, recordOwner } from '#/core/recorder/pool-name.ts'
import { textAt } from '#/core/basics/fields.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import { recordedJob } from '#/core/github/recorded-job.ts'
import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { NodeAgents, PodLog } from '#/ports/node-agents.ts'
import { goneLog, readLog, toTailRequest } from '#/runtime/collect/pods/container-logs.ts'
import type { LogReading } from '#/runtime/collect/pods/container-logs.ts'
import { gatherDetails } from '#/runtime/collect/github/github-details.ts'
import { gatherJobsOfRunners, runsOfRunners } from '#/runtime/collect/github/github-jobs.ts'
import type { FoundJob } from '#/runtime/collect/github/github-jobs.ts'
import { listFile } from '#/runtime/collect/lists/list-file.ts'
import { WHOLE_FLEET } from '#/runtime/collect/request/request.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { planContainers } from '#/runtime/collect/request/targets.ts'
import type { ContainerPlan } from '#/runtime/collect/request/targets.ts'
import { addAuditLogEvents } from './add-audit-log-events.ts'
import { addHeldLog, agentLogs, findAgent, askAgent, awaitAgent, saysMore } from './ask-agent.ts'
import type { Draft } from './draft.ts'
import { pickRunnerContainer } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'
import { podWithName } from './pod-with-name.ts'

export type EnrichPorts = {
  readonly kubernetes: Kubernetes
  readonly github: GitHub | null
  readonly githubUrl: string
  /** Where a job is searched that ARC's record does not name. */
  readonly repositories: readonly string[]
  readonly audit: AuditLog | null
  readonly clock: Clock
  readonly logBytes: number
  /** Absent where agents are not served. */
  readonly agents?: NodeAgents
  /** Until then an agent may still connect after our start. */
  readonly agentsBackBy: number
  /** Until then the API server may resend audit events from before our start. */
  readonly auditLogBackBy: number
  /** ARC's last record of this pod's runner, even after ARC deleted it. */
  readonly lastRecord: (pod: KubeObject) => KubeObject | null
}

export type Enrichment = {
  readonly subject: Partial<BundleSubject>
  readonly job: FoundJob | null
  /** From ARC's record. */
  readonly recorded: RecordedJob | null
  readonly repository: string | null
  readonly runner: string | null
}

/** What is lost soonest is collected first: node data, logs, ARC's record of the runner, then the rest. */
export async function enrich(
  draft: Draft,
  pod: EndedPod,
  ports: EnrichPorts,
  signal: AbortSignal,
): Promise<Enrichment> {
  const means = buildMeans(draft, ports, signal)
  await awaitAgent(ports.agents, pod, { clock: ports.clock, until: ports.agentsBackBy, signal })
  const agent = findAgent(ports.agents, pod)
  if (agent !== null) await askAgent(draft, pod, agent, means)
  const held = agentLogs(agent, pod, { tailBytes: ports.logBytes, signal })
  await addLogs(draft, pod, { ports, signal, held })
  const record = await addRecord(draft, pod, { ports, signal })
  await addNode(draft, pod, { ports, signal })
  const jobs = await addGitHub(draft, pod, { means, record })
  await addAuditLogEvents(draft, pod, means)
  return toEnrichment(pod, record, jobs)
}

function toEnrichment(pod: EndedPod, record: KubeObject | null, jobs: readonly FoundJob[]): Enrichment {
  const job = jobs.length === 1 ? (jobs[0] ?? null) : null
  const recorded = recordedJob(record)
  const ofArc = isOfArc(pod.object) ? pod.facts.name : null
  const runner = job?.facts.runner ?? textAt(record, 'status', 'runnerName') ?? ofArc
  const repository = job?.repository ?? recorded?.repository ?? null
  return { subject: pickSubject({ runner, job, recorded }), job, recorded, repository, runner }
}

function pickSubject({
  runner,
  job,
  recorded,
}: Pick<Enrichment, 'runner' | 'job' | 'recorded'>): Partial<BundleSubject> {
  const runId = job?.facts.runId ?? recorded?.runId ?? null
  return {
    ...(runner === null ? {} : { runner }),
    ...(job === null ? {} : { jobId: job.id }),
    ...(runId === null ? {} : { runId }),
  }
}

export function buildMeans({ answers }: Draft, ports: EnrichPorts, signal: AbortSignal): Means {
  const { kubernetes, github, githubUrl, repositories, audit, clock, logBytes } = ports
  const given = { logBytes, kubernetes, github, githubUrl, audit, clock, signal }
  return {
    answers,
    request: {
      subject: null,
      places: { namespaces: [], isInsideOnly: false, repositories, organizations: [] },
      window: { since: null, until: null },
      lastSeen: null,
      fleet: WHOLE_FLEET,
      thisNode: null,
      progress: () => {},
      ...given,
    },
  }
}

type Asking = { readonly ports: EnrichPorts; readonly signal: AbortSignal }

type Logs = Asking & { readonly held: () => Promise<Observed<readonly PodLog[]>> }

/** From the kubelet while the pod exists; otherwise from the files that the agent keeps. */
async function addLogs(draft: Draft, pod: EndedPod, logs: Logs): Promise<void> {
  const own = pickRunnerContainer(pod)
  const served = await servedLogs(pod, logs)
  for (const container of planContainers(pod.object)) {
    const reading = served?.get(container.name)
    if (reading !== undefined && addLog(draft, { pod, container }, reading)) continue
    const held = await logs.held()
    const hasMore = held.kind === 'seen' && addHeldLog(draft, pod, { container, held: held.value })
    if (served !== null || hasMore || container.name === own) continue
    draft.answers.blind(logSource(pod, container), goneLog(pod.facts.name))
  }
}

/**
 * The kubelet's logs, by container. Null where the pod is gone: logs are requested by pod name, so only a check afterwards
 * shows that they are not those of a new pod with the same name.
 */
async function servedLogs(pod: EndedPod, asking: Asking): Promise<ReadonlyMap<string, LogReading> | null> {
  if (pod.isGone) return null
  const served = new Map<string, LogReading>()
  for (const container of planContainers(pod.object)) {
    served.set(container.name, await servedLog({ pod, container }, asking))
  }
  return (await podWithName(asking.ports.kubernetes, pod, asking.signal)) === 'other' ? null : served
}

type LogOf = { readonly pod: EndedPod; readonly container: ContainerPlan }

function servedLog({ pod, container }: LogOf, { ports, signal }: Asking): Promise<LogReading> {
  const { namespace, name, containers } = pod.facts
  const state = containers.find((one) => one.name === container.name)?.state
  const startedAt = state?.kind === 'terminated' || state?.kind === 'running' ? state.startedAt : null
  return readLog({ namespace, pod: name, container, startedAt }, (request) =>
    ports.kubernetes.logTail({ ...request, ...toTailRequest(ports.logBytes) }, signal),
  )
}

/** False where the kubelet no longer has it. */
function addLog(draft: Draft, { pod, container }: LogOf, { files, answer }: LogReading): boolean {
  for (const file of files) if (saysMore(file, draft.files.get(file.path))) draft.files.set(file.path, file)
  const source = logSource(pod, container)
  if (answer.kind === 'looked') draft.answers.looked(source, { from: answer.from, remark: answer.remark })
  else draft.answers.blindUnlessLooked(source, answer.reason)
  return answer.kind === 'looked'
}

function logSource({ facts: { namespace, name } }: EndedPod, container: ContainerPlan): string {
  return `logs/${namespace}/${name}/${container.name}`
}

async function addRecord(draft: Draft, pod: EndedPod, { ports, signal }: Asking): Promise<KubeObject | null> {
  if (!isOfArc(pod.object)) return null
  const { namespace, name } = pod.facts
  const read = await ports.kubernetes.get({ resource: RESOURCES.ephemeralRunners, namespace, name }, signal)
  const list = 'ephemeralrunners'
  const owner = recordOwner(pod.object)
  if (read.kind === 'seen' && (owner === null || read.value.metadata.uid === owner)) {
    return addOne(draft, { list, remark: 'only the record of this runner' }, read)
  }
  const last = ports.lastRecord(pod.object)
  if (last !== null) return addOne(draft, { list, remark: 'the record of this runner as it was last seen' }, seen(last))
  // A new runner has the same name; its record says nothing about this one.
  const own = read.kind === 'seen' ? none() : read
  return addOne(draft, { list, remark: 'ARC has no record of this runner any more' }, own)
}

async function addNode(draft: Draft, { facts }: EndedPod, { ports, signal }: Asking): Promise<void> {
  if (facts.node === null) return
  const read = await ports.kubernetes.get({ resource: RESOURCES.nodes, name: facts.node }, signal)
  addOne(draft, { list: 'nodes', remark: 'only the node of this pod' }, read)
}

function addOne(
  { files, answers }: Draft,
  { list, remark }: { readonly list: string; readonly remark: string },
  read: Observed<KubeObject>,
): KubeObject | null {
  const source = `kubernetes/${list}`
  if (read.kind === 'blind') {
    answers.blind(source, read.reason)
    return null
  }
  const { file } = listFile(list, read.kind === 'seen' ? [read.value] : [])
  files.set(file.path, file)
  answers.looked(source, { remark })
  return read.kind === 'seen' ? read.value : null
}

async function addGitHub(
  draft: Draft,
  { facts: { name } }: EndedPod,
  { means, record }: { readonly means: Means; readonly record: KubeObject | null },
): Promise<readonly FoundJob[]> {
  if (means.request.github === null) {
    draft.answers.blind('github/jobs', noCredential())
    return []
  }
  const names = new Set([name, textAt(record, 'status', 'runnerName') ?? name])
  const runs = runsOfRunners(record === null ? [] : [record], new Set([name]))
  const found = await intoDraft(draft, gatherJobsOfRunners(means, names, runs))
  await intoDraft(draft, gatherDetails(means, found, null))
  return found
}

function noCredential(): BlindReason {
  return blind('unauthenticated', 'no credential for GitHub is configured').reason
}

async function intoDraft<R>(draft: Draft, gathering: AsyncGenerator<BundleFile, R>): Promise<R> {
  for (let step = await gathering.next(); ; step = await gathering.next()) {
    if (step.done === true) return step.value
    draft.files.set(step.value.path, step.value)
  }
}
