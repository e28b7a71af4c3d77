import fc from 'fast-check'

import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Stream } from '#/core/evidence/signature.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { SourceStates } from '#/core/why/source-state.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import {
  CONTAINER_ID,
  END,
  JOURNAL,
  LOG,
  SIDECAR_ID,
  makeAudit,
  blindTo,
  makeCondition,
  makeContainer,
  ended,
  makeEvent,
  makeEvidence,
  makeJob,
  makeLog,
  looking,
  makePod,
  second,
  makeStep,
  makeVitals,
  RECORDED_JOB,
} from '#test/why/evidence.ts'

/** The fields of clues that matter; every other group gets a random word. */
const CLUE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  code: ['0', '1', '7', '137', '139', '143', '255'],
  result: ['Succeeded', 'Failed', 'Canceled', 'Abandoned'],
  victim: ['Runner.Listener', 'java', 'qemu-system-x86'],
  constraint: ['CONSTRAINT_NONE', 'CONSTRAINT_MEMCG'],
  container: ['runner', 'dind', CONTAINER_ID, SIDECAR_ID],
  containerId: [CONTAINER_ID, SIDECAR_ID],
  name: ['runner', 'dind'],
  reason: ['OOMKilled', 'Error', 'Unknown'],
  unit: ['containerd.service', 'cron.service'],
  signal: ['Killed', 'Aborted', 'Segmentation fault'],
  how: ['0 return code', 'Session Conflict error'],
  seconds: ['2', '30'],
}

const listGroups = (source: string) =>
  [...source.matchAll(/\(\?<(?<name>\w+)>/g)].map(({ groups }) => groups?.['name'] ?? '')

/** The sources of each stream. */
const PLACES: Readonly<Partial<Record<Stream, string>>> = {
  'runner-log': LOG,
  'job-log': 'github/logs',
  'controller-log': 'logs/ci/controller/manager',
  event: 'kubernetes/events',
  annotation: 'github/annotations',
}
export const CLUE_SOURCES = [...new Set([...Object.values(PLACES), JOURNAL])]

/** Every pattern of every signature. */
const CLUES = SIGNATURES.flatMap(({ id, patterns }) =>
  patterns.flatMap(({ regex, streams }) =>
    streams.map((stream) => ({ id, groups: listGroups(regex.source), source: PLACES[stream] ?? JOURNAL })),
  ),
)
/** Clues whose position in the timeline decides: half of all are of these. */
const DECIDING = CLUES.filter(({ id }) =>
  /^(?:job-result|container-exit|terminal-record|pod-delete-seen|pod-object-gone|kubelet-stops-container|stop-requested|kill-sent|runner-process-killed|runner-stop-requested|cancellation-received|oom-kill|probe-failed|taint-.*|lock-.*|session-conflict|runner-listening|github-.*)$/.test(
    id,
  ),
)

/** Few, so that many facts share a second. */
const time = fc.constantFrom(...[70, 400, 500, 570, END - 2, END, END + 1, END + 40].map(second))
const word = (group: string) => fc.constantFrom(...(CLUE_FIELDS[group] ?? ['word']))

const anyClue: fc.Arbitrary<Fact> = fc
  .oneof(fc.constantFrom(...DECIDING), fc.constantFrom(...CLUES))
  .chain(({ id, groups, source }) =>
    fc.record({
      is: fc.constant(id),
      source: fc.constant(source),
      at: fc.option(time, { freq: 12 }),
      order: fc.nat(1000),
      text: fc.constantFrom(id, 'Runner connect error', '"SyncLoop REMOVE"', 'pulling image', 'not found'),
      about: fc.constantFrom('subject' as const, source === LOG ? ('subject' as const) : ('node' as const)),
      fields: fc.record(Object.fromEntries(groups.map((group) => [group, word(group)]))),
    }),
  )

const state = fc.oneof(
  fc.constant({ kind: 'running', startedAt: second(10) } as const),
  fc
    .constantFrom('ImagePullBackOff', 'ContainerCreating', 'CreateContainerConfigError')
    .map((reason) => ({ kind: 'waiting' as const, reason, message: null })),
  fc
    .record({
      exitCode: fc.constantFrom(0, 1, 9, 127, 137, 139, 143, 255),
      reason: fc.constantFrom('Error', 'Completed', 'OOMKilled', 'Unknown', 'ContainerStatusUnknown', 'StartError'),
      finishedAt: fc.option(time),
    })
    .map(({ exitCode, ...rest }) => ended(exitCode, rest)),
)

const anyPod: fc.Arbitrary<PodFacts> = fc
  .record({
    runner: state,
    sidecar: fc.option(state),
    runtimeClass: fc.constantFrom(null, null, 'kata'),
    phase: fc.constantFrom('Running', 'Pending', 'Failed', 'Succeeded'),
    reason: fc.constantFrom(null, null, 'Evicted', 'DeadlineExceeded', 'OutOfcpu', 'Terminated', 'NodeShutdown'),
    message: fc.constantFrom(
      null,
      'The node was low on resource: memory.',
      'Pod was terminated in response to imminent node shutdown.',
      'exceeded its local ephemeral storage limit',
    ),
    deletedAt: fc.option(time),
    graceSeconds: fc.constantFrom(null, 0, 30),
    lastSeenAt: fc.option(time),
    condition: fc.constantFrom('EvictionByEvictionAPI', 'DeletionByPodGC', 'PreemptionByScheduler', null),
  })
  .map(({ runner, sidecar, condition, ...rest }) =>
    makePod({
      ...rest,
      conditions: condition === null ? [] : [makeCondition('DisruptionTarget', { reason: condition })],
      containers: [
        makeContainer({ state: runner }),
        ...(sidecar === null ? [] : [makeContainer({ name: 'dind', id: SIDECAR_ID, state: sidecar })]),
      ],
    }),
  )

const anyJob: fc.Arbitrary<WorkflowJobFacts> = fc
  .record({
    status: fc.constantFrom('queued', 'in_progress', 'completed'),
    conclusion: fc.constantFrom(null, 'success', 'failure', 'cancelled', 'timed_out'),
    runner: fc.constantFrom('linux-x1', 'linux-x2', null),
    step: fc.constantFrom('success', 'failure', null),
  })
  .map(({ step, ...rest }) =>
    makeJob({ ...rest, steps: [makeStep({ conclusion: step, status: step === null ? 'in_progress' : 'completed' })] }),
  )

const anyAudit: fc.Arbitrary<AuditLogFacts> = fc
  .record({
    user: fc.constantFrom('alice', 'system:node:n1', 'system:serviceaccount:kube-system:pod-garbage-collector'),
    graceSeconds: fc.constantFrom(null, 0, 30),
    hasBody: fc.boolean(),
    at: fc.constantFrom(400, 570, END + 40),
  })
  .map((line) => makeAudit(line))

const READ = [
  'kubernetes/pods',
  'kubernetes/events',
  'kubernetes/audit',
  'kubernetes/nodes',
  'logs',
  'journal',
  'cgroup',
  'github/jobs',
  'github/annotations',
  'github/logs',
]
const anySources: fc.Arbitrary<SourceStates> = fc
  .subarray(READ)
  .map((read) => new Map([...looking(...read), ...blindTo(...READ.filter((source) => !read.includes(source)))]))

/** Random evidence: sources contradict each other, parts are missing. */
export const anyEvidence: fc.Arbitrary<Evidence> = fc
  .record({
    pod: fc.option(anyPod, { freq: 4 }),
    job: fc.option(anyJob),
    clues: fc.array(anyClue, { maxLength: 14 }),
    auditLog: fc.array(anyAudit, { maxLength: 3 }),
    log: fc.option(fc.boolean().map((isFromStart) => makeLog({ isFromStart }))),
    vitals: fc.array(
      fc.record({ oomKills: fc.constantFrom(null, 0, 2), cpuPressure: fc.constantFrom(null, 80) }).map(makeVitals),
      { maxLength: 2 },
    ),
    isNodeListed: fc.constantFrom(null, true, false),
    events: fc.constantFrom([], [makeEvent()]),
    boots: fc.constantFrom(
      [],
      [{ id: 'a', from: second(0), to: second(900) }],
      [
        { id: 'a', from: second(0), to: second(END) },
        { id: 'b', from: second(END + 40), to: second(900) },
      ],
    ),
    ephemeralRunner: fc.option(
      fc
        .boolean()
        .map((hasJob) => (hasJob ? RECORDED_JOB : null))
        .map((job) => ({ phase: 'Failed', reason: 'Outdated', message: 'rate limit', job, failures: 1 })),
    ),
    sources: anySources,
  })
  .map((changes) => makeEvidence(changes))
