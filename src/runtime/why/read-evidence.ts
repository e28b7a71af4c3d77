import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { ClueFinder } from '#/core/evidence/find-clues.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import { clueFact, eventClues } from '#/core/why/line-facts.ts'
import { readEphemeralRunner } from '#/core/why/read-ephemeral-runner.ts'
import { toSourceState } from '#/core/why/source-state.ts'
import type { SourceState } from '#/core/why/source-state.ts'
import type { Common } from '#/runtime/why/read-lists.ts'
import { readJournal } from '#/runtime/why/read-journal.ts'
import { beganBefore, readLogs } from '#/runtime/why/read-logs.ts'
import { readCgroups, readHost, readNodePressure } from '#/runtime/why/read-machine.ts'

export type Rules = {
  readonly find: ClueFinder
  /** Journal lines without any of these hold no clue. */
  readonly literals: readonly string[]
}

/** Everything that the bundle has about one subject. */
export async function readEvidence(common: Common, asked: Subject, rules: Rules): Promise<Evidence> {
  const { bundle } = common
  const journal = await readJournal(bundle, asked, rules)
  const pod = findPod(journal.subject, common.pods)
  const named = common.jobs.find(({ id }) => id !== null && id === journal.subject.jobId) ?? null
  const logs = await readLogs(common, { subject: journal.subject, pod, job: named }, rules.find)
  const isOthers = !journal.subject.isJobAsked && named !== null && beganBefore(named, logs.extent)
  const ephemeralRunner = runnerRecord(common, journal.subject)
  const withoutJob = isOthers ? { ...journal.subject, jobId: null, runId: null } : journal.subject
  const subject = withRun(withoutJob, ephemeralRunner)
  const job = isOthers ? null : named
  const events = common.events.filter((event) => eventAbout(event, subject, pod) !== null)
  const auditLog = common.audit.filter((line) => isAuditAbout(line, subject))
  const [github, cgroups, host, nodePressure] = await Promise.all([
    readGitHub(common, subject, rules.find),
    readCgroups(bundle, subject, pod),
    readHost(bundle, subject.node),
    readNodePressure(bundle, subject.node),
  ])
  return {
    now: bundle.meta.collectedAt,
    subject,
    pod,
    ...findSurroundings(common, subject),
    job,
    events,
    auditLog,
    clues: [
      ...events.flatMap((event, order) =>
        eventClues(event, { find: rules.find, order, about: eventAbout(event, subject, pod) ?? 'node' }),
      ),
      ...auditClues(auditLog, rules.find),
      ...logs.clues,
      ...github.clues,
      ...journal.clues,
    ],
    log: logs.extent,
    loggedContainers: logs.containers,
    vitals: logs.vitals,
    cgroups: cgroups.files,
    nodePressure,
    host: host.files,
    boots: journal.boots,
    ephemeralRunner,
    rateLimit: common.rateLimit,
    sources: new Map<string, SourceState>([
      ...common.states,
      ['kubernetes/events', eventsState(common, subject)],
      ['logs', logs.state],
      ['journal', journal.state],
      ['cgroup', cgroups.state],
      ['host', host.state],
      ...github.states,
    ]),
  }
}

/** The node of the pod, and the other pods on it and of its name. */
function findSurroundings(
  { pods, nodes }: Common,
  subject: Subject,
): Pick<Evidence, 'hasSuccessor' | 'neighbours' | 'node' | 'isNodeListed'> {
  const { uid, node: place } = subject
  return {
    hasSuccessor: pods.some((other) => isNamesake(other, subject) && other.uid !== uid && uid !== null),
    neighbours: pods.filter((other) => other.node === place && other.node !== null && !isNamesake(other, subject)),
    node: nodes?.find(({ name }) => name === place) ?? null,
    isNodeListed: nodes === null || place === null ? null : nodes.some(({ name }) => name === place),
  }
}

/** If GitHub gives no run, ARC's record may. */
function withRun(subject: Subject, record: Evidence['ephemeralRunner']): Subject {
  return { ...subject, runId: subject.runId ?? record?.job?.runId ?? null }
}

function isNamesake({ namespace, name }: PodFacts, subject: Subject): boolean {
  return name === subject.pod && (subject.namespace === null || namespace === subject.namespace)
}

function findPod(subject: Subject, pods: readonly PodFacts[]): PodFacts | null {
  return pods.find((pod) => isNamesake(pod, subject) && pod.uid === subject.uid) ?? null
}

/** Node events apply to all pods of the node. */
function eventAbout(event: EventFacts, subject: Subject, pod: PodFacts | null): Fact['about'] | null {
  if (event.kind === 'Node') return event.name !== null && event.name === subject.node ? 'node' : null
  if (subject.pod === null) return null
  if (POLICIES.has(event.kind ?? '') && isBlockedPod(event, subject)) return 'subject'
  if (event.namespace !== subject.namespace) return null
  const isOwn = event.kind === 'Pod' ? isAboutPod(event, subject) : isAboutOwner(event, subject.pod, pod)
  return isOwn ? 'subject' : null
}

const POLICIES: ReadonlySet<string> = new Set(['ClusterPolicy', 'Policy'])

/** There is no pod, so Kyverno reports what it refused on the policy, which may be outside of the namespace. */
function isBlockedPod({ message }: EventFacts, { namespace, pod }: Subject): boolean {
  return message.startsWith(`Pod ${namespace}/${pod}: `)
}

/** By UID, because a successor can have the same name. */
function isAboutPod({ name, uid }: Pick<EventFacts, 'name' | 'uid'>, subject: Subject): boolean {
  return name === subject.pod && (uid === null || subject.uid === null || uid === subject.uid)
}

/** Before the pod exists, events are on its owner and name the pod in the message. */
function isAboutOwner({ name, message }: EventFacts, wanted: string, pod: PodFacts | null): boolean {
  if (name === wanted || message.includes(`"${wanted}"`)) return true
  return pod === null ? wanted.startsWith(`${name}-`) : name !== null && pod.owners.includes(name)
}

const UNASKED = /^(?:get|list|watch)$/

/** Reads and the kubelet's status updates are noise. */
function isAuditAbout(line: AuditLogFacts, subject: Subject): boolean {
  const { verb, resource, subresource, namespace, name } = line
  if (subresource === 'status' || UNASKED.test(verb)) return false
  if (resource === 'nodes') return name === subject.node && verb !== 'create'
  if (resource === 'namespaces') return verb === 'delete' && name === subject.namespace
  if (resource !== 'pods' || namespace !== subject.namespace) return false
  return name === null ? verb === 'deletecollection' : isAboutPod(line, subject)
}

/** Why the API server refused to create the pod: the same words that it gives the controller, which logs them. */
function auditClues(lines: readonly AuditLogFacts[], find: ClueFinder): readonly Fact[] {
  return lines.flatMap(({ verb, resource, subresource, refusal, at }, order) => {
    if (verb !== 'create' || resource !== 'pods' || subresource !== null || refusal === null) return []
    return find({ text: refusal, stream: 'controller-log' }).map((clue) =>
      clueFact(clue, { source: 'kubernetes/audit', at, order, about: 'subject', text: refusal }),
    )
  })
}

/** Events are deleted with their namespace and expire after an hour: then an empty list means nothing. */
function eventsState({ states, namespaces, events }: Common, { namespace }: Subject): SourceState {
  const state = states.get('kubernetes/events') ?? { kind: 'blind', reason: { code: 'not-asked', detail: 'no events' } }
  if (state.kind === 'blind' || namespaces === null || namespace === null || namespaces.size === 0) return state
  const isEmpty = !events.some((event) => event.namespace === namespace)
  const detail = `namespace ${namespace} was deleted with its events`
  return isEmpty && !namespaces.has(namespace) ? { kind: 'blind', reason: { code: 'expired', detail } } : state
}

function runnerRecord({ ephemeralRunners }: Common, { namespace, pod, runner }: Subject): Evidence['ephemeralRunner'] {
  const own = ephemeralRunners.find((object) => {
    const { name } = object.metadata
    const isInside = namespace === null || textAt(object, 'metadata', 'namespace') === namespace
    return (
      isInside &&
      (name === pod || name === runner || (runner !== null && runner === textAt(object, 'status', 'runnerName')))
    )
  })
  return own === undefined ? null : readEphemeralRunner(own)
}

async function readGitHub({ bundle, jobs }: Common, { jobId }: Subject, find: ClueFinder) {
  if (jobId === null) return { clues: [], states: [] }
  const [annotations, log] = await Promise.all([bundle.githubAnnotations(jobId), bundle.githubLog(jobId)])
  const completedAt = jobs.find(({ id }) => id === jobId)?.completedAt ?? null
  const messages =
    annotations.kind === 'seen' ? annotations.value.flatMap((annotation) => textAt(annotation, 'message') ?? []) : []
  const lines = log.kind === 'seen' ? log.value.split('\n') : []
  return {
    clues: [
      ...messages.flatMap((text, order) =>
        find({ text: text.trim(), stream: 'annotation' }).map((clue) =>
          clueFact(clue, { source: 'github/annotations', at: completedAt, order, about: 'subject', text }),
        ),
      ),
      ...jobLogClues(lines, find),
    ],
    states: [
      ['github/annotations', toSourceState(annotations, bundle.coverage('github/annotations'))],
      ['github/logs', toSourceState(log, bundle.coverage('github/logs'))],
    ] as const,
  }
}

function jobLogClues(lines: readonly string[], find: ClueFinder): readonly Fact[] {
  return lines.flatMap((raw, order) => {
    const stamp = /^\uFEFF?(?<time>\d{4}-\d\d-\d\dT[\d:.]+Z) (?<text>.*)$/s.exec(raw.trimEnd())?.groups
    const text = (stamp?.['text'] ?? raw.trimEnd()).replace(/^##\[\w+\]/, '')
    const at = Date.parse(stamp?.['time'] ?? '')
    return find({ text, stream: 'job-log' }).map((clue) =>
      clueFact(clue, { source: 'github/logs', at: Number.isNaN(at) ? null : at, order, about: 'subject', text }),
    )
  })
}
