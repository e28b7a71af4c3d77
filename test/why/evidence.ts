import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { NodeFacts } from '#/core/kubernetes/node-facts.ts'
import { blind } from '#/core/basics/observed.ts'
import type { ConditionFacts, ContainerFacts, PodFacts, Terminated } from '#/core/kubernetes/pod-facts.ts'
import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import type { Vitals } from '#/core/evidence/vitals.ts'
import type { Evidence, LogExtent } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { SourceState, SourceStates } from '#/core/why/source-state.ts'
import type { StepFacts, WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'

/**
 * Evidence about one runner, in seconds: its pod is created at 0, its job starts at 60, it ends at 600, and the evidence
 * is collected at 900. Everything that a test does not give was never collected.
 */
export const second = (count: number): number => Date.parse('2026-06-06T21:00:00Z') + count * 1000

export const END = 600
export const UID = '577ae8fa-cf31-40e1-9af5-6aa52f235a10'
export const OTHER_UID = '00000000-0000-4000-8000-000000000001'
export const CONTAINER_ID = 'a'.repeat(64)
export const SIDECAR_ID = 'b'.repeat(64)
export const LOG = 'logs/ci/linux-x1/runner'
export const JOURNAL = 'journal/n1'

export const SUBJECT: Subject = {
  namespace: 'ci',
  pod: 'linux-x1',
  uid: UID,
  node: 'n1',
  runner: 'linux-x1',
  jobId: 7,
  runId: 9,
  isJobAsked: false,
  containerIds: [CONTAINER_ID],
}

/** As in ARC's record. */
export const RECORDED_JOB: RecordedJob = {
  id: '85cb',
  name: 'build',
  repository: 'acme/app',
  workflow: null,
  runId: 9,
  url: 'https://github.com/acme/app/actions/runs/9',
}

export function makeEvidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    now: second(900),
    subject: SUBJECT,
    pod: null,
    hasSuccessor: false,
    neighbours: [],
    node: null,
    isNodeListed: null,
    job: null,
    events: [],
    auditLog: [],
    clues: [],
    log: null,
    loggedContainers: new Set(),
    vitals: [],
    cgroups: [],
    nodePressure: [],
    host: new Map(),
    boots: [],
    ephemeralRunner: null,
    rateLimit: null,
    sources: new Map(),
    ...changes,
  }
}

/** The same evidence and more of it: lists grow, everything else is replaced. */
export function withMore(evidence: Evidence, more: Partial<Evidence>): Evidence {
  return {
    ...evidence,
    ...more,
    neighbours: [...evidence.neighbours, ...(more.neighbours ?? [])],
    events: [...evidence.events, ...(more.events ?? [])],
    auditLog: [...evidence.auditLog, ...(more.auditLog ?? [])],
    clues: [...evidence.clues, ...(more.clues ?? [])],
    vitals: [...evidence.vitals, ...(more.vitals ?? [])],
    cgroups: [...evidence.cgroups, ...(more.cgroups ?? [])],
    boots: [...evidence.boots, ...(more.boots ?? [])],
    sources: new Map([...evidence.sources, ...(more.sources ?? [])]),
  }
}

/** Sources that were read; one with a window covers only that. */
export function looking(...sources: readonly (string | readonly [string, number, number])[]): SourceStates {
  return new Map(
    sources.map((source): [string, SourceState] =>
      typeof source === 'string'
        ? [source, { kind: 'looked', from: null, to: null }]
        : [source[0], { kind: 'looked', from: second(source[1]), to: second(source[2]) }],
    ),
  )
}

export function blindTo(...sources: readonly string[]): SourceStates {
  return new Map(sources.map((source) => [source, blind('not-asked', 'never collected')]))
}

type FactChanges = Partial<Omit<Fact, 'at'>> & { readonly at?: number | null }

function fact(is: string, source: string, { at = END, ...changes }: FactChanges): Fact {
  const time = at === null ? null : second(at)
  return { is, source, order: 0, text: is, about: 'subject', fields: {}, ...changes, at: time }
}

/** A clue in the runner log; times are in seconds. */
export const logFact = (is: string, changes: FactChanges = {}): Fact => fact(is, LOG, changes)
export const journalFact = (is: string, changes: FactChanges = {}): Fact => fact(is, JOURNAL, changes)
export const eventFact = (is: string, changes: FactChanges = {}): Fact => fact(is, 'kubernetes/events', changes)
export const annotationFact = (is: string, changes: FactChanges = {}): Fact => fact(is, 'github/annotations', changes)
export const controllerFact = (is: string, changes: FactChanges = {}): Fact =>
  fact(is, 'logs/ci/controller/manager', changes)
export const jobLogFact = (is: string, changes: FactChanges = {}): Fact => fact(is, 'github/logs', changes)

export function ended(exitCode: number | null, changes: Partial<Terminated> = {}): Terminated {
  const reason = exitCode === 0 ? 'Completed' : 'Error'
  return {
    kind: 'terminated',
    exitCode,
    signal: null,
    reason,
    message: null,
    startedAt: second(10),
    finishedAt: second(END),
    id: null,
    ...changes,
  }
}

export const RUNNING = { kind: 'running', startedAt: second(10) } as const

export function makeContainer(changes: Partial<ContainerFacts> = {}): ContainerFacts {
  return {
    name: 'runner',
    role: 'main',
    isSidecar: false,
    id: CONTAINER_ID,
    image: 'example/runner:1',
    memoryLimit: '8Gi',
    restarts: 0,
    state: RUNNING,
    last: { kind: 'unknown' },
    ...changes,
  }
}

export function makePod(changes: Partial<PodFacts> = {}): PodFacts {
  return {
    namespace: 'ci',
    name: 'linux-x1',
    uid: UID,
    node: 'n1',
    runtimeClass: null,
    phase: 'Running',
    reason: null,
    message: null,
    createdAt: second(0),
    startedAt: second(5),
    deletedAt: null,
    graceSeconds: null,
    specGraceSeconds: 30,
    deadlineSeconds: null,
    lastSeenAt: null,
    owners: [],
    labels: {},
    conditions: [],
    containers: [makeContainer()],
    ...changes,
  }
}

/** A pod whose runner's container ended like this. */
export function endedPod(exitCode: number, state: Partial<Terminated> = {}, pod: Partial<PodFacts> = {}): PodFacts {
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed'
  return makePod({ phase, containers: [makeContainer({ state: ended(exitCode, state) })], ...pod })
}

export function makeCondition(type: string, changes: Partial<ConditionFacts> = {}): ConditionFacts {
  return { type, status: 'True', reason: null, message: null, since: second(END), ...changes }
}

export function makeNode(changes: Partial<NodeFacts> = {}): NodeFacts {
  const conditions = [makeCondition('Ready', { since: second(-3600) })]
  return {
    name: 'n1',
    bootId: null,
    createdAt: null,
    isCordoned: false,
    taints: [],
    kataVersion: null,
    conditions,
    ...changes,
  }
}

export function makeJob(changes: Partial<WorkflowJobFacts> = {}): WorkflowJobFacts {
  return {
    id: 7,
    runId: 9,
    name: 'build',
    status: 'completed',
    conclusion: 'failure',
    runner: 'linux-x1',
    createdAt: second(30),
    startedAt: second(60),
    completedAt: second(END),
    steps: [],
    ...changes,
  }
}

export function makeStep(changes: Partial<StepFacts> = {}): StepFacts {
  return {
    number: 2,
    name: 'test',
    status: 'completed',
    conclusion: 'success',
    startedAt: second(70),
    completedAt: second(500),
    ...changes,
  }
}

/** An audit log line about the pod: by default a graceful delete at level Request. */
export function makeAudit({
  at = 500,
  ...changes
}: Partial<Omit<AuditLogFacts, 'at'>> & { readonly at?: number | null } = {}): AuditLogFacts {
  return {
    verb: 'delete',
    user: 'alice',
    userAgent: null,
    resource: 'pods',
    subresource: null,
    namespace: 'ci',
    name: 'linux-x1',
    uid: null,
    status: 200,
    refusal: null,
    graceSeconds: null,
    hasBody: true,
    ...changes,
    at: at === null ? null : second(at),
  }
}

export function makeEvent(changes: Partial<EventFacts> = {}): EventFacts {
  return {
    reason: 'Started',
    message: 'Started container runner',
    firstAt: second(10),
    lastAt: second(10),
    count: 1,
    kind: 'Pod',
    namespace: 'ci',
    name: 'linux-x1',
    uid: UID,
    reporter: 'kubelet',
    host: 'n1',
    createdAt: second(10),
    container: null,
    ...changes,
  }
}

export function makeLog(changes: Partial<LogExtent> = {}): LogExtent {
  return { source: LOG, firstAt: second(12), lastAt: second(END - 1), lines: 40, isFromStart: true, ...changes }
}

export function makeVitals(changes: Partial<Vitals> = {}): Vitals {
  return {
    at: second(END - 5),
    cgroup: 2,
    memoryBytes: null,
    memoryPeakBytes: null,
    memoryLimitBytes: null,
    oomKills: null,
    processes: null,
    processLimit: null,
    memoryPressure: null,
    cpuPressure: null,
    ioPressure: null,
    guestAvailableBytes: null,
    guestTotalBytes: null,
    listeners: null,
    workers: null,
    ...changes,
  }
}
