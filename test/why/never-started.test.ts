import {
  SUBJECT,
  makeCondition,
  makeContainer,
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
import { describeCause, withClues } from '#test/why/weighing.ts'

const refusedInit = makePod({
  containers: [
    makeContainer({ name: 'register', role: 'init', state: ended(22) }),
    makeContainer({ id: null, state: { kind: 'waiting', reason: 'PodInitializing', message: null } }),
  ],
})
const LISTENING = logFact('runner-listening', { at: 20 })
const waiting = (reason: string) =>
  makePod({ phase: 'Pending', containers: [makeContainer({ state: { kind: 'waiting', reason, message: null } })] })
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
    'an init container whose registration was refused has another cause',
    withClues(logFact('registration-refused')),
    'refutes',
    { pod: refusedInit, loggedContainers: new Set(['register']) },
  ],
  [
    'an init container that failed says why in its log',
    { loggedContainers: new Set(['register']) },
    'names',
    { pod: refusedInit },
  ],
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
