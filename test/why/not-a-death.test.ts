import {
  END,
  SUBJECT,
  annotationFact,
  auditOf,
  blindTo,
  endedPod,
  evidenceOf,
  jobLogFact,
  jobOf,
  journalFact,
  logFact,
  logOf,
  looking,
  podOf,
  second,
  stepOf,
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
  TOLD_TO_STOP,
  both,
  describeCause,
  resultOf,
  told,
  without,
} from '#test/why/weighing.ts'
import type { Row } from '#test/why/weighing.ts'

const failed = (conclusion: string, steps = [stepOf({ conclusion: 'failure' })]) => ({
  job: jobOf({ conclusion, steps }),
})

describeCause('completed-normally', evidenceOf({ ...SUCCEEDED, clues: [resultOf('Succeeded')] }), [
  ['GitHub that lost the runner has no result', told(LOST), 'refutes'],
  ['GitHub that shows a failure has another result', failed('failure'), 'refutes'],
  ['GitHub that shows it as cancelled has another result', failed('cancelled'), 'refutes'],
  ['without the conclusion at GitHub it is a guess', { job: null }, 0.5],
  ['a later delete is clean-up', both(REAPED, { pod: endedPod(0) }), 'doubts', { pod: endedPod(0) }],
  [
    'a worker that exited with success supports it',
    told(logFact('worker-exited', { told: { code: '100' } })),
    'supports',
    without('job-result'),
  ],
  [
    'a worker that ended otherwise does not',
    told(logFact('worker-exited', { told: { code: '102' } })),
    'nothing',
    without('job-result'),
  ],
  ['exit code 0 supports it', { pod: endedPod(0) }, 'supports'],
  ['exit code 1 does not', { pod: endedPod(1) }, 'nothing'],
])

const UNDELIVERED = logFact('completion-not-delivered')
const open = (now: number) => ({ now: second(now), job: jobOf({ status: 'in_progress', conclusion: null, steps: [] }) })

describeCause('completion-handshake-lost', evidenceOf({ clues: [resultOf('Succeeded'), LOST] }), [
  ['GitHub that shows a success has the result', SUCCEEDED, 'refutes'],
  ['GitHub that cancelled it has the result', { job: jobOf({ conclusion: 'cancelled' }) }, 'refutes'],
  [
    'a process that was ended by a signal did not exit cleanly',
    told(logFact('runner-process-killed', { told: { code: '143' } })),
    'refutes',
  ],
  ['a container that was killed did not exit cleanly', { pod: endedPod(137) }, 'refutes'],
  ['a runner that received a stop signal did not exit by itself', told(TOLD_TO_STOP), 'refutes'],
  ...['no-space-left', 'job-failed-by-io', 'worker-crashed', 'lock-lost'].map((is): Row => [
    `a runner that says ${is} had other reasons`,
    told(logFact(is)),
    'refutes',
  ]),
  ['without a result the job may not have ended', without('job-result'), 0.5],
  ['a result that does not end the job does not count', both(without('job-result'), told(resultOf('Abandoned'))), 0.5],
  ['an end that could not be delivered is as good as a result', told(UNDELIVERED), 'names', without('job-result')],
  ['without a sign that GitHub has no result, it may have one', without('lost-communication'), 0.5],
  ['an end that could not be delivered is such a sign', told(UNDELIVERED), 'names', without('lost-communication')],
  ['a job that is open ten minutes later is such a sign', open(1195), 'names', without('lost-communication')],
  ['a closed job is not, however late', { now: second(3000) }, 'nothing'],
  [
    'an open job proves nothing if it is not known when the runner exited',
    open(3000),
    'nothing',
    both(without('job-result', 'lost-communication'), told(UNDELIVERED)),
  ],
  ['a job that is open for less is not', open(1194), 'nothing', without('lost-communication')],
  [
    'a failed step is the result at GitHub',
    failed('failure'),
    0.3,
    both(without('lost-communication'), told(UNDELIVERED)),
  ],
  ['a failed step proves little if GitHub lost the runner', failed('failure'), 'nothing'],
  ['exit code 0 supports it', { pod: endedPod(0) }, 'supports'],
  ['exit code 0 of a container out of memory does not', { pod: endedPod(0, { reason: 'OOMKilled' }) }, 'nothing'],
  ['exit code 1 does not', { pod: endedPod(1) }, 'nothing'],
])

const OWN_EXIT = jobLogFact('step-exited', { told: { code: '1' } })
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
const stepFailed = evidenceOf({
  ...failed('failure'),
  log: logOf(),
  clues: [OWN_EXIT],
  sources: looking('kubernetes/pods'),
})

describeCause('job-failed', stepFailed, [
  ...NAMED.map((is): Row => [`a step that fails by ${is} has failed for that`, told(logFact(is)), 'refutes']),
  [
    'a process that the kernel killed did not fail by itself',
    told(journalFact('oom-kill', { told: { victim: 'java' } })),
    'refutes',
  ],
  [
    'a cgroup that counts a kill shows the same',
    { cgroups: [{ container: null, files: new Map([['memory.events', 'oom_kill 1']]) }] },
    'refutes',
  ],
  ['a container out of memory shows the same', { pod: endedPod(0, { reason: 'OOMKilled' }) }, 'refutes'],
  ['a runner that received a stop signal ended the step', told(TOLD_TO_STOP), 'refutes'],
  ['a cancel is not a failure', told(logFact('cancellation-received')), 'refutes'],
  ['GitHub that lost the runner closed the job without it', told(LOST), 'refutes'],
  ['a job that GitHub shows as cancelled did not fail', failed('cancelled'), 'refutes'],
  ['a job that GitHub shows as timed out did not fail', failed('timed_out'), 'refutes'],
  ['a job with result Succeeded in the runner log did not fail', told(resultOf('Succeeded')), 'refutes'],
  ['an eviction has its own cause', told(EVICTED), 'refutes'],
  ['a deadline has its own cause', told(DEADLINE), 'refutes'],
  ['a forced delete has its own cause', both(FORCED, { pod: podOf() }), 'refutes'],
  ['without its own code, why it failed is not known', without('step-exited'), 0.5, told(resultOf('Failed'))],
  [
    'a code that comes from a signal is not its own',
    both(without('step-exited'), told(jobLogFact('step-exited', { told: { code: '137' } }))),
    0.5,
  ],
  [
    'a tool that reached its own limit is a reason',
    told(jobLogFact('heap-exhausted')),
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
  ['without the end of the job it is a guess', { job: jobOf() }, 0.5],
  ['a result Failed in the runner log is enough', told(resultOf('Failed')), 'names', { job: jobOf() }],
  ['a result Failed in the runner log supports it', told(resultOf('Failed')), 'supports'],
  ['another result in the runner log does not', told(resultOf('Canceled')), 'nothing'],
  [
    'a missing docker daemon may have died first, if the pod was not read',
    told(logFact('docker-daemon-gone')),
    0.5,
    { sources: new Map([...blindTo('kubernetes/pods'), ...looking('journal')]) },
  ],
  ['a missing docker daemon proves nothing if the pod was read', told(logFact('docker-daemon-gone')), 'nothing'],
])

describeCause('job-timed-out', evidenceOf({ clues: [annotationFact('job-time-limit')] }), [
  ['a job that succeeded was in time', SUCCEEDED, 'refutes'],
])

const GONE = logFact('job-gone')
const HAD_JOB = { phase: 'Running', reason: null, message: null, job: RECORDED_JOB, failures: 0 }
const idle = IDLE(evidenceOf({ pod: endedPod(0) }))

describeCause('no-job-assigned', idle, [
  ['a runner that ran a job had one, although another was gone', told(logFact('job-running')), 'refutes', told(GONE)],
  ['a runner with a result in its log had one', told(resultOf('Succeeded')), 'refutes', told(GONE)],
  ...['self-update', 'session-conflict', 'runner-deregistered', 'runner-version-refused', 'not-authorized'].map(
    (is): Row => [`a runner that says ${is} left for that`, told(logFact(is)), 'refutes'],
  ),
  ['a runner that ARC gave a job had one', { ephemeralRunner: HAD_JOB }, 'refutes'],
  ['a job that was gone is not a job that it had', { job: jobOf() }, 'nothing', told(GONE)],
  ['an eviction has its own cause', told(EVICTED), 'refutes'],
  ['a deadline has its own cause', told(DEADLINE), 'refutes'],
  ['a container out of memory has its own cause', { pod: endedPod(0, { reason: 'OOMKilled' }) }, 'refutes'],
  ['a log that is cut shows nothing', { log: logOf({ isFromStart: false }) }, 0.3, { audit: [auditOf({ at: 700 })] }],
  ['a job that was gone shows it without a log', told(GONE), 'names', { log: null }],
  ['a question about a job is not answered by an idle log', { subject: SUBJECT }, 0.5],
  [
    'a question about a job is answered if GitHub was read',
    { subject: SUBJECT, job: jobOf({ runner: 'linux-x2' }) },
    'nothing',
  ],
  ['a question about a job is answered if the job was gone', { subject: SUBJECT }, 'nothing', told(GONE)],
  ['a runner that still waits has not ended', { pod: podOf() }, 0.3],
  ['a running runner whose job was gone can be named', told(GONE), 'names', { pod: podOf() }],
  ['exit code 1 does not support it', { pod: endedPod(1) }, 'nothing', { pod: null }],
  ['exit code 0 does', { pod: endedPod(0) }, 'supports', { pod: null }],
])

describeCause('self-update', evidenceOf({ clues: [logFact('self-update', { at: END })] }), [
  ['a runner that did its job exited for that', told(resultOf('Succeeded')), 'refutes'],
  ['a version that GitHub refuses has its own cause', told(logFact('runner-version-refused')), 'refutes'],
  [
    'a listener that exited to update supports it',
    told(logFact('listener-exited', { text: 'exit because of updating' })),
    'supports',
    without('self-update'),
  ],
  [
    'a listener that exited otherwise does not',
    told(logFact('listener-exited', { text: 'exit with 0' })),
    'nothing',
    without('self-update'),
  ],
])

describeCause('tls-trust', evidenceOf({ clues: [jobLogFact('certificate-not-trusted')] }), [
  ['a job that succeeded did not need it', SUCCEEDED, 'refutes'],
  ['GitHub that lost the runner had other reasons', told(LOST), 'refutes'],
  ['a step that failed supports it', failed('failure'), 'supports'],
  ['a step that failed alone proves nothing', failed('failure'), 'nothing', without('certificate-not-trusted')],
])

describeCause('workspace-unclean', evidenceOf({ clues: [jobLogFact('work-folder-denied')] }), [
  ['a job that succeeded was not stopped', SUCCEEDED, 'refutes'],
  ['GitHub that lost the runner had other reasons', told(LOST), 'refutes'],
])
