import {
  END,
  SUBJECT,
  annotationFact,
  makeAudit,
  blindTo,
  controllerFact,
  ended,
  endedPod,
  makeContainer,
  makeEvidence,
  jobLogFact,
  makeJob,
  journalFact,
  logFact,
  makeLog,
  looking,
  makePod,
  second,
  makeStep,
  RECORDED_JOB,
} from '#test/why/evidence.ts'
import {
  DEADLINE,
  EVICTED,
  FORCED,
  IDLE,
  LOST,
  REAPED,
  SUCCEEDED,
  STOP_SIGNAL,
  both,
  describeCause,
  makeResult,
  withClues,
  without,
} from '#test/why/weighing.ts'
import type { Row } from '#test/why/weighing.ts'

const CREATING = { kind: 'waiting', reason: 'PodInitializing', message: null } as const
const POLLER = makeContainer({ name: 'poller', role: 'init', state: ended(143) })

const failed = (conclusion: string, steps = [makeStep({ conclusion: 'failure' })]) => ({
  job: makeJob({ conclusion, steps }),
})

describeCause('completed-normally', makeEvidence({ ...SUCCEEDED, clues: [makeResult('Succeeded')] }), [
  ['GitHub that lost the runner has no result', withClues(LOST), 'refutes'],
  ['GitHub that shows a failure has another result', failed('failure'), 'refutes'],
  ['GitHub that shows it as cancelled has another result', failed('cancelled'), 'refutes'],
  ['without the conclusion at GitHub it is a guess', { job: null }, 0.5],
  ['a later delete is clean-up', both(REAPED, { pod: endedPod(0) }), 'doubts', { pod: endedPod(0) }],
  [
    'a worker that exited with success supports it',
    withClues(logFact('worker-exited', { fields: { code: '100' } })),
    'supports',
    without('job-result'),
  ],
  [
    'a worker that ended otherwise does not',
    withClues(logFact('worker-exited', { fields: { code: '102' } })),
    'nothing',
    without('job-result'),
  ],
  ['exit code 0 supports it', { pod: endedPod(0) }, 'supports'],
  ['exit code 1 does not', { pod: endedPod(1) }, 'nothing'],
])

const UNDELIVERED = logFact('completion-not-delivered')
const open = (now: number) => ({
  now: second(now),
  job: makeJob({ status: 'in_progress', conclusion: null, steps: [] }),
})

describeCause('completion-handshake-lost', makeEvidence({ clues: [makeResult('Succeeded'), LOST] }), [
  ['GitHub that shows a success has the result', SUCCEEDED, 'refutes'],
  ['GitHub that cancelled it has the result', { job: makeJob({ conclusion: 'cancelled' }) }, 'refutes'],
  [
    'a process that was ended by a signal did not exit cleanly',
    withClues(logFact('runner-process-killed', { fields: { code: '143' } })),
    'refutes',
  ],
  ['a container that was killed did not exit cleanly', { pod: endedPod(137) }, 'refutes'],
  ['a runner that received a stop signal did not exit by itself', withClues(STOP_SIGNAL), 'refutes'],
  [
    'a worker that crashed had other reasons',
    withClues(logFact('worker-crashed', { fields: { code: '139' } })),
    'refutes',
  ],
  [
    'a worker that gave up reporting did not crash',
    withClues(logFact('worker-crashed', { fields: { code: '1' } })),
    'nothing',
  ],
  ...['no-space-left', 'job-failed-by-io', 'lock-lost'].map((is): Row => [
    `a runner that says ${is} had other reasons`,
    withClues(logFact(is)),
    'refutes',
  ]),
  ['without a result the job may not have ended', without('job-result'), 0.5],
  [
    'a result that does not end the job does not count',
    both(without('job-result'), withClues(makeResult('Abandoned'))),
    0.5,
  ],
  ['an end that could not be delivered is as good as a result', withClues(UNDELIVERED), 'names', without('job-result')],
  ['without a sign that GitHub has no result, it may have one', without('lost-communication'), 0.5],
  ['an end that could not be delivered is such a sign', withClues(UNDELIVERED), 'names', without('lost-communication')],
  ['a job that is open a minute later is such a sign', open(655), 'names', without('lost-communication')],
  ['a closed job is not, however late', { now: second(3000) }, 'nothing'],
  [
    'an open job proves nothing if it is not known when the runner exited',
    open(3000),
    'nothing',
    both(without('job-result', 'lost-communication'), withClues(UNDELIVERED)),
  ],
  ['a job that is open for less is not', open(654), 'nothing', without('lost-communication')],
  [
    'a failed step is the result at GitHub',
    failed('failure'),
    0.3,
    both(without('lost-communication'), withClues(UNDELIVERED)),
  ],
  ['a failed step proves little if GitHub lost the runner', failed('failure'), 'nothing'],
  ['exit code 0 supports it', { pod: endedPod(0) }, 'supports'],
  ['exit code 0 of a container out of memory does not', { pod: endedPod(0, { reason: 'OOMKilled' }) }, 'nothing'],
  ['exit code 1 does not', { pod: endedPod(1) }, 'nothing'],
])

const OWN_EXIT = jobLogFact('step-exited', { fields: { code: '1' } })
const NAMED = [
  'certificate-not-trusted',
  'work-folder-denied',
  'work-folder-invalid',
  'no-space-left',
  'host-files-exhausted',
  'process-files-exhausted',
  'fork-failed',
  'fork-rejected',
  'step-killed',
  'lock-lost',
  'step-timed-out',
  'job-time-limit',
]
const stepFailed = makeEvidence({
  ...failed('failure'),
  log: makeLog(),
  clues: [OWN_EXIT],
  sources: looking('kubernetes/pods'),
})

describeCause('job-failed', stepFailed, [
  ...NAMED.map((is): Row => [`a step that fails by ${is} has failed for that`, withClues(logFact(is)), 'refutes']),
  [
    'a process that the kernel killed did not fail by itself',
    withClues(journalFact('oom-kill', { fields: { victim: 'java' } })),
    'refutes',
  ],
  [
    'a cgroup that counts a kill shows the same',
    { cgroups: [{ container: null, files: new Map([['memory.events', 'oom_kill 1']]) }] },
    'refutes',
  ],
  ['a container out of memory shows the same', { pod: endedPod(0, { reason: 'OOMKilled' }) }, 'refutes'],
  ['a runner that received a stop signal ended the step', withClues(STOP_SIGNAL), 'refutes'],
  ['a cancel is not a failure', withClues(logFact('cancellation-received')), 'refutes'],
  ['GitHub that lost the runner closed the job without it', withClues(LOST), 'refutes'],
  ['a job that GitHub shows as cancelled did not fail', failed('cancelled'), 'refutes'],
  ['a job that GitHub shows as timed out did not fail', failed('timed_out'), 'refutes'],
  ['a job with result Succeeded in the runner log did not fail', withClues(makeResult('Succeeded')), 'refutes'],
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['a deadline has its own cause', withClues(DEADLINE), 'refutes'],
  ['a forced delete has its own cause', both(FORCED, { pod: makePod() }), 'refutes'],
  ['without its own code, why it failed is not known', without('step-exited'), 0.5, withClues(makeResult('Failed'))],
  [
    'a code that comes from a signal is not its own',
    both(without('step-exited'), withClues(jobLogFact('step-exited', { fields: { code: '137' } }))),
    0.5,
  ],
  [
    'a tool that reached its own limit is a reason',
    withClues(jobLogFact('heap-exhausted')),
    'names',
    without('step-exited'),
  ],
  ['if no source could show memory it is a guess', { sources: blindTo('kubernetes/pods') }, 0.5],
  [
    'a journal that covers the time shows memory',
    { sources: looking('journal') },
    'names',
    { sources: blindTo('kubernetes/pods') },
  ],
  ['without the end of the job it is a guess', { job: makeJob() }, 0.5],
  ['a result Failed in the runner log is enough', withClues(makeResult('Failed')), 'names', { job: makeJob() }],
  ['a result Failed in the runner log supports it', withClues(makeResult('Failed')), 'supports'],
  ['another result in the runner log does not', withClues(makeResult('Canceled')), 'nothing'],
  [
    'a missing docker daemon may have died first, if the pod was not read',
    withClues(logFact('docker-daemon-gone')),
    0.5,
    { sources: new Map([...blindTo('kubernetes/pods'), ...looking('journal')]) },
  ],
  ['a missing docker daemon proves nothing if the pod was read', withClues(logFact('docker-daemon-gone')), 'nothing'],
])

describeCause('job-timed-out', makeEvidence({ clues: [annotationFact('job-time-limit')] }), [
  ['a job that succeeded was in time', SUCCEEDED, 'refutes'],
])

const GONE = logFact('job-gone')
const HAD_JOB = { phase: 'Running', reason: null, message: null, job: RECORDED_JOB, failures: 0 }
const idle = IDLE(makeEvidence({ pod: endedPod(0) }))

describeCause('no-job-assigned', idle, [
  [
    'a runner that ran a job had one, although another was gone',
    withClues(logFact('job-running')),
    'refutes',
    withClues(GONE),
  ],
  ['a runner with a result in its log had one', withClues(makeResult('Succeeded')), 'refutes', withClues(GONE)],
  ...['self-update', 'session-conflict', 'runner-deregistered', 'runner-version-refused', 'not-authorized'].map(
    (is): Row => [`a runner that says ${is} left for that`, withClues(logFact(is)), 'refutes'],
  ),
  [
    'a registration that ARC took back from the idle runner is no other cause',
    withClues(logFact('runner-deregistered')),
    'nothing',
    withClues(controllerFact('arc-removes-idle')),
  ],
  [
    'neither is one that was lost seconds before the controller deleted the pod',
    { auditLog: [makeAudit({ at: 598, user: 'system:serviceaccount:arc:x-gha-rs-controller' })] },
    'names',
    withClues(logFact('runner-deregistered', { at: 590 })),
  ],
  [
    'an init container that was stopped with the pod shows that the runner never had one',
    { pod: makePod({ deletedAt: second(600), containers: [POLLER, makeContainer({ id: null, state: CREATING })] }) },
    'names',
    { log: null },
  ],
  ['a runner that ARC gave a job had one', { ephemeralRunner: HAD_JOB }, 'refutes'],
  ['a job that was gone is not a job that it had', { job: makeJob() }, 'nothing', withClues(GONE)],
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['a deadline has its own cause', withClues(DEADLINE), 'refutes'],
  ['a container out of memory has its own cause', { pod: endedPod(0, { reason: 'OOMKilled' }) }, 'refutes'],
  [
    'a log that is cut shows nothing',
    { log: makeLog({ isFromStart: false }) },
    0.3,
    { auditLog: [makeAudit({ at: 700 })] },
  ],
  ['a job that was gone shows it without a log', withClues(GONE), 'names', { log: null }],
  ['a question about a job is not answered by an idle log', { subject: SUBJECT }, 0.5],
  [
    'a question about a job is answered if GitHub was read',
    { subject: SUBJECT, job: makeJob({ runner: 'linux-x2' }) },
    'nothing',
  ],
  ['a question about a job is answered if the job was gone', { subject: SUBJECT }, 'nothing', withClues(GONE)],
  ['a runner that still waits has not ended', { pod: makePod() }, 0.3],
  ['a running runner whose job was gone can be named', withClues(GONE), 'names', { pod: makePod() }],
  ['exit code 1 does not support it', { pod: endedPod(1) }, 'nothing', { pod: null }],
  ['exit code 0 does', { pod: endedPod(0) }, 'supports', { pod: null }],
])

describeCause('self-update', makeEvidence({ clues: [logFact('self-update', { at: END })] }), [
  ['a runner that did its job exited for that', withClues(makeResult('Succeeded')), 'refutes'],
  ['a version that GitHub refuses has its own cause', withClues(logFact('runner-version-refused')), 'refutes'],
  [
    'a listener that exited to update supports it',
    withClues(logFact('listener-exited', { text: 'exit because of updating' })),
    'supports',
    without('self-update'),
  ],
  [
    'a listener that exited otherwise does not',
    withClues(logFact('listener-exited', { text: 'exit with 0' })),
    'nothing',
    without('self-update'),
  ],
])
