import type { Evidence } from '#/core/why/evidence.ts'
import {
  SUBJECT,
  makeCondition,
  makeContainer,
  controllerFact,
  ended,
  endedPod,
  eventFact,
  makeEvent,
  makeEvidence,
  journalFact,
  logFact,
  makePod,
  second,
} from '#test/why/evidence.ts'
import { WORKED, describeCause, makeResult, withClues, without } from '#test/why/weighing.ts'

const LISTENING = logFact('runner-listening', { at: 20 })
const waiting = (reason: string) =>
  makePod({ phase: 'Pending', containers: [makeContainer({ state: { kind: 'waiting', reason, message: null } })] })
const record = (
  message: string | null,
  changes: Partial<NonNullable<Evidence['ephemeralRunner']>> = {},
): Partial<Evidence> => ({
  ephemeralRunner: { phase: 'Failed', reason: null, message, job: null, failures: 1, ...changes },
})
const SCHEDULED = {
  events: [makeEvent({ reason: 'Scheduled', message: 'Successfully assigned ci/linux-x1 to n1', host: null })],
}
const failedInit = makePod({
  phase: 'Pending',
  containers: [
    makeContainer({ name: 'setup', role: 'init', state: ended(1) }),
    makeContainer({ state: { kind: 'waiting', reason: 'PodInitializing', message: null } }),
  ],
})

describeCause('image-pull', makeEvidence({ pod: waiting('ImagePullBackOff') }), [
  ['a runner that listened has its image', withClues(LISTENING), 'refutes'],
  [
    'a start that was refused for the image supports it',
    withClues(eventFact('container-start-refused', { fields: { why: 'ErrImagePull' } })),
    'supports',
  ],
  [
    'a start that was refused for a secret does not',
    withClues(eventFact('container-start-refused', { fields: { why: 'CreateContainerConfigError' } })),
    'nothing',
  ],
  [
    'a back-off of the pull supports it',
    withClues(eventFact('kubelet-backs-off', { text: 'BackOff: Back-off pulling image "x"' })),
    'supports',
  ],
  [
    'a back-off of a restart does not',
    withClues(eventFact('kubelet-backs-off', { text: 'BackOff: Back-off restarting failed container' })),
    'nothing',
  ],
  [
    'a task that waits for the image supports it',
    withClues(journalFact('task-start-failed', { text: 'with ErrImagePull: x' })),
    'supports',
  ],
  [
    'a task that fails for another reason does not',
    withClues(journalFact('task-start-failed', { text: 'with RunContainerError: x' })),
    'nothing',
  ],
  [
    'a container that waits for something else does not',
    { pod: waiting('ContainerCreating') },
    'nothing',
    { pod: null },
  ],
])

const nowhere = { phase: 'Pending', node: null, startedAt: null, containers: [] }
const unplaced = makePod({
  ...nowhere,
  conditions: [makeCondition('PodScheduled', { status: 'False', reason: 'Unschedulable' })],
})
const refused = (reason: string, message: string | null = null) =>
  makePod({ phase: 'Failed', reason, message, startedAt: null, containers: [] })

describeCause('unschedulable', makeEvidence({ pod: unplaced }), [
  ['a runner that listened had a node', withClues(LISTENING), 'refutes'],
  ['a pod that was scheduled later died of something else', SCHEDULED, 'refutes'],
  [
    'a pod that has a node was scheduled',
    { pod: makePod({ ...nowhere, node: 'n1', conditions: unplaced.conditions }) },
    'refutes',
  ],
  [
    'a pod that the kubelet refused counts, although it had a node',
    { pod: refused('OutOfcpu') },
    'names',
    { pod: null },
  ],
  [
    'a pod that a node under pressure refused counts',
    { pod: refused('Evicted', 'The node had condition: [DiskPressure].') },
    'names',
    { pod: null },
  ],
  [
    'a started pod that such a node rejected was evicted',
    { pod: makePod({ reason: 'Evicted', message: 'The node had condition: [DiskPressure].', containers: [] }) },
    'refutes',
    { pod: refused('Evicted', 'The node had condition: [DiskPressure].') },
  ],
  ['a node that shuts down accepts no pod', { pod: refused('NodeShutdown') }, 'names', { pod: null }],
  [
    'a condition that is true proves nothing',
    { pod: makePod({ ...nowhere, conditions: [makeCondition('PodScheduled')] }) },
    'nothing',
    { pod: null },
  ],
])

describeCause('start-failed', makeEvidence({ pod: waiting('CreateContainerConfigError') }), [
  ['a runner that listened had started', withClues(LISTENING), 'refutes'],
  ['a runner that ran a job had started', withClues(logFact('job-running')), 'refutes'],
  ['a container that started had started', withClues(eventFact('container-started')), 'refutes'],
  [
    'the start of an init container that then failed is not that of the runner',
    withClues(eventFact('container-started')),
    'nothing',
    { pod: failedInit },
  ],
  [
    'a job in spite of an init container that failed refutes it',
    withClues(logFact('job-running')),
    'refutes',
    { pod: failedInit },
  ],
  [
    'the start of a command that ended at once is the failure itself',
    withClues(eventFact('container-started')),
    'nothing',
    { pod: endedPod(127, { startedAt: second(598), finishedAt: second(600) }) },
  ],
  [
    'a runner that runs has started, whatever came before',
    { pod: makePod() },
    'refutes',
    { pod: null, clues: [eventFact('must-not-run-as-root')] },
  ],
  [
    'a start that was refused supports it',
    withClues(eventFact('container-start-refused', { text: 'Failed: Error: secret "x" not found' })),
    'supports',
  ],
  [
    'a start that was refused for the image does not',
    withClues(eventFact('container-start-refused', { text: 'Failed: Error: ErrImagePull' })),
    'nothing',
  ],
  [
    'a task that could not start supports it',
    withClues(journalFact('task-start-failed', { text: 'RunContainerError' })),
    'supports',
  ],
  [
    'a task that waits for the image does not',
    withClues(journalFact('task-start-failed', { text: 'ImagePullBackOff' })),
    'nothing',
  ],
  [
    'a mount of what does not exist supports it',
    withClues(eventFact('volume-mount-failed', { text: 'configmap "x" not found' })),
    'supports',
  ],
  [
    'a mount that the node cannot make does not',
    withClues(eventFact('volume-mount-failed', { text: 'timed out waiting for the condition' })),
    'nothing',
  ],
])

const creating = waiting('ContainerCreating')

describeCause('degraded-node', makeEvidence({ pod: creating, clues: [eventFact('sandbox-failed')] }), [
  ['a runner that listened was started', withClues(LISTENING), 'refutes'],
  [
    'a command that does not exist is the fault of the pod',
    { pod: endedPod(128, { reason: 'StartError' }) },
    'refutes',
  ],
  ['an init container that failed is the fault of the pod', { pod: failedInit }, 'refutes'],
  ['an image that cannot be pulled is not the fault of the node', { pod: waiting('ImagePullBackOff') }, 'refutes'],
  ['a secret that is missing is not the fault of the node', { pod: waiting('CreateContainerConfigError') }, 'refutes'],
  [
    'a volume that the node cannot attach supports it',
    withClues(journalFact('volume-mount-failed', { text: 'timed out' })),
    'supports',
  ],
  [
    'a volume that does not exist does not',
    withClues(journalFact('volume-mount-failed', { text: 'secret "x" not found' })),
    'nothing',
  ],
  ['a pod that has no node was not taken by one', { subject: { ...SUBJECT, node: null } }, 0.5],
  ['a pod that is not known may have had a node', { pod: null, subject: { ...SUBJECT, node: null } }, 'nothing'],
])

describeCause('registration-denied', makeEvidence({ clues: [logFact('not-authorized')] }), [
  ['a runner that had a job was registered', WORKED, 'refutes'],
  ['one whose registration was removed had one', withClues(logFact('runner-deregistered')), 'refutes'],
  ['one whose session was taken had one', withClues(logFact('session-conflict')), 'refutes'],
  ['one that is too old is refused for that', withClues(logFact('runner-version-refused')), 'refutes'],
  [
    'a controller that was refused supports it for a runner that never ran',
    withClues(controllerFact('registration-refused', { about: 'node' })),
    'supports',
    without('not-authorized'),
  ],
  [
    'a controller that was refused proves nothing about a runner that ran',
    withClues(controllerFact('registration-refused', { about: 'node' })),
    'nothing',
    (e) => ({ ...e, clues: [], pod: makePod() }),
  ],
  ["ARC's record of a refusal supports it", record('401 Unauthorized'), 'supports'],
  [
    "ARC's record of a spent budget does not, although it is forbidden",
    record('403 API rate limit exceeded'),
    'nothing',
  ],
  ["ARC's record of a quota does not", record('forbidden: exceeded quota'), 'nothing'],
  ["ARC's record of anything else does not", record('pod is gone'), 'nothing'],
])

describeCause('api-rate-limited', makeEvidence({ clues: [controllerFact('registration-rate-limited')] }), [
  ['a runner that ran got its registration', { pod: makePod() }, 'refutes'],
  ["ARC's record of a rate limit supports it", record('API rate limit exceeded'), 'supports'],
  ["ARC's record of anything else does not", record('401 Unauthorized'), 'nothing'],
  ['a budget that is spent supports it', { rateLimit: { remaining: 0, limit: 5000 } }, 'supports'],
  ['a budget that is not spent does not', { rateLimit: { remaining: 1, limit: 5000 } }, 'nothing'],
  [
    'a limit that another runner hit supports it for a runner that never ran',
    withClues(controllerFact('registration-rate-limited', { about: 'node' })),
    'supports',
    without('registration-rate-limited'),
  ],
])

describeCause('runner-outdated', makeEvidence({ clues: [logFact('runner-version-refused')] }), [
  ['a runner that had a job was not refused', WORKED, 'refutes'],
  [
    'a listener that exited as deprecated supports it',
    withClues(logFact('listener-exited', { text: 'exit because of deprecated version' })),
    'supports',
    without('runner-version-refused'),
  ],
  [
    'a listener that exited otherwise does not',
    withClues(logFact('listener-exited', { text: 'exit with 0 return code' })),
    'nothing',
    without('runner-version-refused'),
  ],
  ["ARC's record of an outdated runner supports it", record(null, { phase: 'Outdated' }), 'supports'],
  ["ARC's record of a failed one does not", record(null), 'nothing'],
  ['exit code 7 supports it', { pod: endedPod(7) }, 'supports'],
  ['exit code 1 does not', { pod: endedPod(1) }, 'nothing'],
])

describeCause('session-conflict', makeEvidence({ clues: [logFact('session-conflict', { at: 100 })] }), [
  ['a runner that had a job had its session', WORKED, 'refutes'],
  ['one that listened afterwards got it', withClues(logFact('runner-listening', { at: 200 })), 'refutes'],
  ['one that listened before lost it', withClues(logFact('runner-listening', { at: 50 })), 'nothing'],
  [
    'a listener that exited for it supports it',
    withClues(logFact('listener-exited', { fields: { how: 'Session Conflict error' } })),
    'supports',
    without('session-conflict'),
  ],
  [
    'a listener that exited otherwise does not',
    withClues(logFact('listener-exited', { fields: { how: '0 return code' } })),
    'nothing',
    without('session-conflict'),
  ],
])

describeCause('runner-deregistered', makeEvidence({ clues: [logFact('runner-deregistered')] }), [
  ['a runner that did its one job is removed afterwards', withClues(makeResult('Succeeded')), 'refutes'],
  ['one that ran a job took one', withClues(logFact('job-running')), 'refutes'],
])
