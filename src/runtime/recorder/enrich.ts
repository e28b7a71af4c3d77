import type { BundleSubject } from '#/core/evidence/bundle-meta.ts'
import { isOfArc, recordOwner } from '#/core/recorder/pool-name.ts'
import { textAt } from '#/core/basics/fields.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import { recordedJob } from '#/core/github/recorded-job.ts'
import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { gatherDetails } from '#/runtime/collect/github/github-details.ts'
import { gatherJobsOfRunners, runsOfRunners } from '#/runtime/collect/github/github-jobs.ts'
import type { FoundJob } from '#/runtime/collect/github/github-jobs.ts'
import { listFile } from '#/runtime/collect/lists/list-file.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { AUDIT_LOG_SOURCE } from '#/runtime/collect/sources/audit-log-evidence.ts'
import { addAuditLogEvents } from './add-audit-log-events.ts'
import { agentLogs, askForCounters, askForJournal, findAgent } from './ask-agent.ts'
import { waitWhile } from './counted-wait.ts'
import { hasLooked } from './draft.ts'
import type { Draft } from './draft.ts'
import { buildMeans } from './enrich-ports.ts'
import type { EnrichPorts } from './enrich-ports.ts'
import type { EndedPod } from './ended-pod.ts'
import { absorb, late, readSource } from './read-source.ts'
import type { Reading } from './read-source.ts'
import { addLogs, untilAgent } from './save-from-node.ts'
import { addStored } from './ask-log-store.ts'

export type Enrichment = {
  readonly subject: Partial<BundleSubject>
  readonly job: FoundJob | null
  /** From ARC's record. */
  readonly recorded: RecordedJob | null
  readonly repository: string | null
  readonly runner: string | null
}

const JOURNAL_MS = 120_000
const KUBERNETES_MS = 30_000
const GITHUB_MS = 25_000
/** It is read from memory or from a local file, and without it nobody knows the actor. */
const AUDIT_LOG_MS = 120_000

/** The slower sources, all at once; each has its own places and its own time. */
export async function enrich(
  draft: Draft,
  pod: EndedPod,
  ports: EnrichPorts,
  signal: AbortSignal,
): Promise<Enrichment> {
  const reading = { pod, progress: ports.progress, clock: ports.clock, signal }
  const [found] = await Promise.all([
    addRecordAndJobs(draft, ports, reading),
    addJournal(draft, ports, reading),
    addHost(draft, ports, reading),
    addNode(draft, ports, reading),
    addAuditLog(draft, ports, reading),
  ])
  return found
}

async function addRecordAndJobs(draft: Draft, ports: EnrichPorts, reading: Reading): Promise<Enrichment> {
  const { pod } = reading
  const record = isOfArc(pod.object) ? await readRecord(draft, ports, reading) : null
  if (ports.github === null) {
    draft.answers.blind('github/jobs', noCredential())
    return toEnrichment(pod, record, [])
  }
  const order = {
    sources: ['github/jobs'],
    lane: ports.lanes.github,
    key: '',
    waitingFor: { kind: 'github', what: 'GitHub' },
    mostMs: GITHUB_MS,
    isShared: true,
    late: late('GitHub'),
  } as const
  const jobs = await readSource(draft, order, reading, (own, limited) =>
    addGitHub(own, pod, { means: buildMeans(own, ports, limited), record }),
  )
  return toEnrichment(pod, record, jobs ?? [])
}

function readRecord(draft: Draft, ports: EnrichPorts, reading: Reading): Promise<KubeObject | null> {
  const order = {
    sources: ['kubernetes/ephemeralrunners'],
    lane: ports.lanes.kubernetes,
    key: '',
    waitingFor: { kind: 'kubernetes', what: "ARC's record" },
    mostMs: KUBERNETES_MS,
    late: late('the API server'),
  } as const
  return readSource(draft, order, reading, (own, limited) => addRecord(own, reading.pod, { ports, signal: limited }))
}

/** When the other deaths of its node are saved: their logs are lost sooner. */
async function addJournal(draft: Draft, ports: EnrichPorts, reading: Reading): Promise<void> {
  const { pod } = reading
  const { node } = pod.facts
  if (node === null) return
  // It may have gone since the logs and counters were asked for.
  await untilAgent(ports, pod, reading.signal)
  const agent = findAgent(ports.agents, pod)
  if (agent === null) return
  if ('kind' in agent) {
    draft.answers.blind(`journal/${node}`, agent.reason)
    return addStored(draft, ports, reading)
  }
  const order = {
    sources: [`journal/${node}`],
    lane: ports.lanes.journal,
    key: node,
    waitingFor: { kind: 'journal', what: `the journal of node ${node}` },
    mostMs: JOURNAL_MS,
    late: late(`the journal of ${node}`),
  } as const
  await readSource(draft, order, reading, async (own, limited) => {
    await untilSaved(ports, node, limited)
    const means = buildMeans(own, ports, limited)
    await askForCounters(own, pod, agent, means)
    await askForJournal(own, pod, agent, means)
    // The container of a pod that was deleted by force may have written on for a moment.
    const held = agentLogs(agent, pod, { tailBytes: ports.logBytes, signal: limited })
    if (pod.isGone) await addLogs(own, pod, { ports, signal: limited, held })
  })
  if (!hasLooked(draft, `journal/${node}`)) await addStored(draft, ports, reading)
}

const SAVED_FIRST_MS = 5000
const LOOK_AGAIN_MS = 25

async function untilSaved({ lanes, clock }: EnrichPorts, node: string, signal: AbortSignal): Promise<void> {
  const wait = { clock, everyMs: LOOK_AGAIN_MS, mostMs: SAVED_FIRST_MS, signal }
  await waitWhile(() => lanes.node.size(node) > 0, wait)
}

async function addHost(draft: Draft, { shared, agents }: EnrichPorts, { pod }: Reading): Promise<void> {
  const { node } = pod.facts
  if (node === null || hasLooked(draft, `host/${node}`)) return
  if (agents === undefined) draft.answers.blind(`host/${node}`, blind('not-asked', `no agent serves ${node}`).reason)
  else absorb(draft, await shared.hosts.read(node))
}

async function addNode(draft: Draft, { shared }: EnrichPorts, { pod: { facts } }: Reading): Promise<void> {
  if (facts.node === null) return
  addOne(draft, { list: 'nodes', remark: 'only the node of this pod' }, await shared.nodes.read(facts.node))
}

export async function addAuditLog(draft: Draft, ports: EnrichPorts, reading: Reading): Promise<void> {
  if (ports.audit === null) return addAuditLogEvents(draft, reading.pod, buildMeans(draft, ports, reading.signal))
  const order = {
    sources: [AUDIT_LOG_SOURCE],
    lane: ports.lanes.auditLog,
    key: '',
    waitingFor: { kind: 'audit-log', what: 'the audit log' },
    mostMs: AUDIT_LOG_MS,
    late: { code: 'timeout', detail: 'the audit log was not read in time' },
  } as const
  await readSource(draft, order, reading, (own, limited) =>
    addAuditLogEvents(own, reading.pod, buildMeans(own, ports, limited)),
  )
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

async function addRecord(
  draft: Draft,
  pod: EndedPod,
  { ports, signal }: { readonly ports: EnrichPorts; readonly signal: AbortSignal },
): Promise<KubeObject | null> {
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
