import type { Evidence } from '#/core/why/evidence.ts'
import {
  SUBJECT,
  conditionOf,
  containerOf,
  controllerFact,
  ended,
  endedPod,
  eventFact,
  eventOf,
  evidenceOf,
  journalFact,
  logFact,
  podOf,
  second,
} from '#test/why/evidence.ts'
import { WORKED, describeCause, resultOf, told, without } from '#test/why/weighing.ts'

const LISTENING = logFact('runner-listening', { at: 20 })
const waiting = (reason: string) =>
  podOf({ phase: 'Pending', containers: [containerOf({ state: { kind: 'waiting', reason, message: null } })] })
const record = (
  message: string | null,
  changes: Partial<NonNullable<Evidence['ephemeralRunner']>> = {},
): Partial<Evidence> => ({
  ephemeralRunner: { phase: 'Failed', reason: null, message, job: null, failures: 1, ...changes },
})
const SCHEDULED = {
  events: [eventOf({ reason: 'Scheduled', message: 'Successfully assigned ci/linux-x1 to n1', host: null })],
}
const failedInit = podOf({
  phase: 'Pending',
  containers: [
    containerOf({ name: 'setup', role: 'init', state: ended(1) }),
    containerOf({ state: { kind: 'waiting', reason: 'PodInitializing', message: null } }),
  ],
})

describeCause('image-pull', evidenceOf({ pod: waiting('ImagePullBackOff') }), [
  ['a runner that listened has its image', told(LISTENING), 'refutes'],
  [
    'a start that was refused for the image supports it',
    told(eventFact('container-start-refused', { told: { why: 'ErrImagePull' } })),
    'supports',
  ],
  [
    'a start that was refused for a secret does not',
    told(eventFact('container-start-refused', { told: { why: 'CreateContainerConfigError' } })),
    'nothing',
  ],
  [
    'a back-off of the pull supports it',
    told(eventFact('kubelet-backs-off', { text: 'BackOff: Back-off pulling image "x"' })),
    'supports',
  ],
  [
    'a back-off of a restart does not',
    told(eventFact('kubelet-backs-off', { text: 'BackOff: Back-off restarting failed container' })),
    'nothing',
  ],
  [
    'a task that waits for the image supports it',
    told(journalFact('task-start-failed', { text: 'with ErrImagePull: x' })),
    'supports',
  ],
  [
    'a task that fails for another reason does not',
    told(journalFact('task-start-failed', { text: 'with RunContainerError: x' })),
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
const unplaced = podOf({
  ...nowhere,
  conditions: [conditionOf('PodScheduled', { status: 'False', reason: 'Unschedulable' })],
})
const refused = (reason: string, message: string | null = null) =>
  podOf({ phase: 'Failed', reason, message, startedAt: null, containers: [] })

describeCause('unschedulable', evidenceOf({ pod: unplaced }), [
  ['a runner that listened had a node', told(LISTENING), 'refutes'],
  ['a pod that was scheduled later died of something else', SCHEDULED, 'refutes'],
  [
    'a pod that has a node was scheduled',
    { pod: podOf({ ...nowhere, node: 'n1', conditions: unplaced.conditions }) },
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
    { pod: podOf({ reason: 'Evicted', message: 'The node had condition: [DiskPressure].', containers: [] }) },
    'refutes',
    { pod: refused('Evicted', 'The node had condition: [DiskPressure].') },
  ],
  ['a node that shuts down accepts no pod', { pod: refused('NodeShutdown') }, 'names', { pod: null }],
  [
    'a condition that is true proves nothing',
    { pod: podOf({ ...nowhere, conditions: [conditionOf('PodScheduled')] }) },
    'nothing',
    { pod: null },
  ],
])

describeCause('start-failed', evidenceOf({ pod: waiting('CreateContainerConfigError') }), [
  ['a runner that listened had started', told(LISTENING), 'refutes'],
  ['a runner that ran a job had started', told(logFact('job-running')), 'refutes'],
  ['a container that started had started', told(eventFact('container-started')), 'refutes'],
  [
    'the start of an init container that then failed is not that of the runner',
    told(eventFact('container-started')),
    'nothing',
    { pod: failedInit },
  ],
  [
    'a job in spite of an init container that failed refutes it',
    told(logFact('job-running')),
    'refutes',
    { pod: failedInit },
  ],
  [
    'the start of a command that ended at once is the failure itself',
    told(eventFact('container-started')),
    'nothing',
    { pod: endedPod(127, { startedAt: second(598), finishedAt: second(600) }) },
  ],
  [
    'a runner that runs has started, whatever came before',
    { pod: podOf() },
    'refutes',
    { pod: null, clues: [eventFact('must-not-run-as-root')] },
  ],
  [
    'a start that was refused supports it',
    told(eventFact('container-start-refused', { text: 'Failed: Error: secret "x" not found' })),
    'supports',
  ],
  [
    'a start that was refused for the image does not',
    told(eventFact('container-start-refused', { text: 'Failed: Error: ErrImagePull' })),
    'nothing',
  ],
  [
    'a task that could not start supports it',
    told(journalFact('task-start-failed', { text: 'RunContainerError' })),
    'supports',
  ],
  [
    'a task that waits for the image does not',
    told(journalFact('task-start-failed', { text: 'ImagePullBackOff' })),
    'nothing',
  ],
  [
    'a mount of what does not exist supports it',
    told(eventFact('volume-mount-failed', { text: 'configmap "x" not found' })),
    'supports',
  ],
  [
    'a mount that the node cannot make does not',
    told(eventFact('volume-mount-failed', { text: 'timed out waiting for the condition' })),
    'nothing',
  ],
])

const creating = waiting('ContainerCreating')

describeCause('degraded-node', evidenceOf({ pod: creating, clues: [eventFact('sandbox-failed')] }), [
  ['a runner that listened was started', told(LISTENING), 'refutes'],
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
    told(journalFact('volume-mount-failed', { text: 'timed out' })),
    'supports',
  ],
  [
    'a volume that does not exist does not',
    told(journalFact('volume-mount-failed', { text: 'secret "x" not found' })),
    'nothing',
  ],
  ['a pod that has no node was not taken by one', { subject: { ...SUBJECT, node: null } }, 0.5],
  ['a pod that is not known may have had a node', { pod: null, subject: { ...SUBJECT, node: null } }, 'nothing'],
])

describeCause('registration-denied', evidenceOf({ clues: [logFact('not-authorized')] }), [
  ['a runner that had a job was registered', WORKED, 'refutes'],
  ['one whose registration was removed had one', told(logFact('runner-deregistered')), 'refutes'],
  ['one whose session was taken had one', told(logFact('session-conflict')), 'refutes'],
  ['one that is too old is refused for that', told(logFact('runner-version-refused')), 'refutes'],
  [
    'a controller that was refused supports it for a runner that never ran',
    told(controllerFact('registration-refused', { about: 'node' })),
    'supports',
    without('not-authorized'),
  ],
  [
    'a controller that was refused proves nothing about a runner that ran',
    told(controllerFact('registration-refused', { about: 'node' })),
    'nothing',
    (e) => ({ ...e, clues: [], pod: podOf() }),
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

describeCause('api-rate-limited', evidenceOf({ clues: [controllerFact('registration-rate-limited')] }), [
  ['a runner that ran got its registration', { pod: podOf() }, 'refutes'],
  ["ARC's record of a rate limit supports it", record('API rate limit exceeded'), 'supports'],
  ["ARC's record of anything else does not", record('401 Unauthorized'), 'nothing'],
  ['a budget that is spent supports it', { rateLimit: { remaining: 0, limit: 5000 } }, 'supports'],
  ['a budget that is not spent does not', { rateLimit: { remaining: 1, limit: 5000 } }, 'nothing'],
  [
    'a limit that another runner hit supports it for a runner that never ran',
    told(controllerFact('registration-rate-limited', { about: 'node' })),
    'supports',
    without('registration-rate-limited'),
  ],
])

describeCause('runner-outdated', evidenceOf({ clues: [logFact('runner-version-refused')] }), [
  ['a runner that had a job was not refused', WORKED, 'refutes'],
  [
    'a listener that exited as deprecated supports it',
    told(logFact('listener-exited', { text: 'exit because of deprecated version' })),
    'supports',
    without('runner-version-refused'),
  ],
  [
    'a listener that exited otherwise does not',
    told(logFact('listener-exited', { text: 'exit with 0 return code' })),
    'nothing',
    without('runner-version-refused'),
  ],
  ["ARC's record of an outdated runner supports it", record(null, { phase: 'Outdated' }), 'supports'],
  ["ARC's record of a failed one does not", record(null), 'nothing'],
  ['exit code 7 supports it', { pod: endedPod(7) }, 'supports'],
  ['exit code 1 does not', { pod: endedPod(1) }, 'nothing'],
])

describeCause('session-conflict', evidenceOf({ clues: [logFact('session-conflict', { at: 100 })] }), [
  ['a runner that had a job had its session', WORKED, 'refutes'],
  ['one that listened afterwards got it', told(logFact('runner-listening', { at: 200 })), 'refutes'],
  ['one that listened before lost it', told(logFact('runner-listening', { at: 50 })), 'nothing'],
  [
    'a listener that exited for it supports it',
    told(logFact('listener-exited', { told: { how: 'Session Conflict error' } })),
    'supports',
    without('session-conflict'),
  ],
  [
    'a listener that exited otherwise does not',
    told(logFact('listener-exited', { told: { how: '0 return code' } })),
    'nothing',
    without('session-conflict'),
  ],
])

describeCause('runner-deregistered', evidenceOf({ clues: [logFact('runner-deregistered')] }), [
  ['a runner that did its one job is removed afterwards', told(resultOf('Succeeded')), 'refutes'],
  ['one that ran a job took one', told(logFact('job-running')), 'refutes'],
])
