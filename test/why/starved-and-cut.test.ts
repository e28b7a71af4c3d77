import {
  makeAudit,
  endedPod,
  eventFact,
  makeEvidence,
  journalFact,
  logFact,
  makeLog,
  makePod,
  second,
  makeVitals,
  RUNNING,
  makeContainer,
  jobLogFact,
  makeJob,
} from '#test/why/evidence.ts'
import {
  DELETED,
  EVICTED,
  FORCED,
  LOST,
  OVER_OWN_LIMIT,
  STOPPED,
  STOP_SIGNAL,
  WORKED,
  both,
  describeCause,
  makeResult,
  withClues,
  without,
} from '#test/why/weighing.ts'
import type { Row } from '#test/why/weighing.ts'

const ofNode = (is: string, changes: Parameters<typeof journalFact>[1] = {}) =>
  journalFact(is, { about: 'node', ...changes })
const STOPS: readonly Row[] = [
  ['a stop by the kubelet came from outside', withClues(STOPPED), 'refutes'],
  ['a delete before the end came from outside', DELETED, 'refutes'],
  ['a forced delete came from outside', FORCED, 'refutes'],
]
const ended = (...conclusions: readonly string[]): readonly Row[] =>
  conclusions.map((conclusion): Row => [
    `a job that ended as ${conclusion} did not end by this`,
    { job: makeJob({ conclusion }) },
    'refutes',
  ])

describeCause('disk-full', makeEvidence({ clues: [logFact('no-space-left')] }), [
  ...ended('success'),
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['an eviction over its own limit too', withClues(OVER_OWN_LIMIT), 'refutes'],
  [
    'a full disk without a failed write is a guess',
    without('no-space-left'),
    0.5,
    {
      host: new Map([['df', 'overlay 1 1 0 100% /']]),
      clues: [logFact('disk-nearly-full'), jobLogFact('disk-nearly-full')],
    },
  ],
  [
    'an IO error of the job is a failed write',
    withClues(logFact('job-failed-by-io')),
    'names',
    without('no-space-left'),
  ],
])

const TABLE = ofNode('file-table-full')
const fileNr = { host: new Map([['proc/sys/fs/file-nr', '99\t0\t100']]) }

describeCause('fd-exhausted', makeEvidence({ clues: [logFact('host-files-exhausted')] }), [
  ...ended('success'),
  ['a full table of the host supports it', withClues(TABLE), 'supports'],
  ['a full table proves nothing without a failure', withClues(TABLE), 'nothing', without('host-files-exhausted')],
  [
    'a full table supports it if GitHub lost the runner',
    withClues(TABLE),
    'supports',
    both(without('host-files-exhausted'), withClues(LOST)),
  ],
  ['a counter of the host supports it', fileNr, 'supports'],
  ['a counter of the host proves nothing without a failure', fileNr, 'nothing', without('host-files-exhausted')],
])

describeCause('pids-exhausted', makeEvidence({ clues: [logFact('fork-failed')] }), [
  ...ended('success'),
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  [
    'a cgroup that refused supports it',
    { cgroups: [{ container: null, files: new Map([['pids.events', 'max 3']]) }] },
    'supports',
  ],
])

const RENEWED = [logFact('lock-renewed', { at: 100 }), logFact('lock-renewed', { at: 300 })]
const STALL = ofNode('soft-lockup')
const starved = makeEvidence({
  ...WORKED,
  log: makeLog({ lastAt: second(310) }),
  clues: [logFact('job-running', { at: 61 }), ...RENEWED, STALL],
  pod: makePod({ containers: [makeContainer({ state: RUNNING })] }),
  subject: { ...makeEvidence().subject },
})
const near = { clues: [ofNode('soft-lockup', { at: 305 })] }
const TIMED_OUT = logFact('github-unreachable', {
  at: 305,
  text: 'Runner connect error: The HTTP request timed out after 00:01:00.. Retrying until reconnected.',
})

describeCause('host-starvation', both(without('soft-lockup'), near)(starved), [
  ...ended('success', 'cancelled', 'timed_out'),
  ['a network that failed is another cause', withClues(logFact('github-unreachable', { at: 305 })), 'refutes'],
  ['a timeout is the network, if only renewals are late', withClues(TIMED_OUT), 'refutes'],
  [
    'a timeout is no sign of the network, if the runner itself was pressed',
    withClues(TIMED_OUT),
    'nothing',
    { vitals: [makeVitals({ cpuPressure: 90 })] },
  ],
  [
    'a name that was not resolved is the network, even if the runner was pressed',
    withClues({ ...TIMED_OUT, text: 'Runner connect error: Name or service not known' }),
    'refutes',
    { vitals: [makeVitals({ cpuPressure: 90 })] },
  ],
  ['a container that was killed was not starved', { pod: endedPod(137, { finishedAt: second(310) }) }, 'refutes'],
  ['a runner that did its job was not starved', withClues(makeResult('Succeeded', 305)), 'refutes'],
  ['a stop by the kubelet came from outside', withClues({ ...STOPPED, at: second(305) }), 'refutes'],
  [
    'a delete before the end came from outside',
    { auditLog: [makeAudit({ at: 305 })] },
    'refutes',
    { pod: endedPod(1, { finishedAt: second(310) }) },
  ],
  ['without a sign of the runner it is a guess', without('lock-renewed'), 0.5],
  [
    'without a sign of the host it is a guess',
    without('soft-lockup'),
    0.5,
    withClues(LOST, logFact('worker-handover-timed-out', { at: 305 })),
  ],
  ['pressure is a sign of both', { vitals: [makeVitals({ cpuPressure: 90 })] }, 'names', without('soft-lockup')],
  ['GitHub that gave up on it supports it', withClues(LOST), 'supports'],
  [
    'GitHub that gave up on it proves nothing without a sign of the runner',
    withClues(LOST),
    'nothing',
    without('lock-renewed', 'soft-lockup'),
  ],
])

const CUT = logFact('github-unreachable', { at: 500, text: 'Runner connect error: timed out' })
const unreached = makeEvidence({ ...WORKED, clues: [logFact('job-running', { at: 61 }), CUT] })

describeCause('network-fault', unreached, [
  ...ended('success', 'cancelled', 'timed_out'),
  ...STOPS.map(([what, change, effect]): Row => [what, change, effect, { pod: endedPod(1) }]),
  ['a job that GitHub had closed before lost nothing', { job: makeJob({ completedAt: second(400) }) }, 'refutes'],
  ['a result Succeeded in the runner log may not have reached GitHub', withClues(makeResult('Succeeded')), 'nothing'],
  ['a container that was killed was not cut off', { pod: endedPod(137) }, 'refutes'],
  ['a container that crashed did not live on', { pod: endedPod(139) }, 'refutes'],
  [
    'a worker that crashed did not live on',
    withClues(logFact('worker-crashed', { fields: { code: '134' } })),
    'refutes',
  ],
  ['a container that gave up by itself may have been', { pod: endedPod(1) }, 'nothing'],
  [
    'a runner that reached GitHub again was not',
    withClues(logFact('github-reached-again', { at: 550, order: 9 })),
    'refutes',
  ],
  [
    'without a line of the runner it is a guess',
    without('github-unreachable'),
    0.5,
    withClues(ofNode('conntrack-full'), LOST),
  ],
  ['a full table of connections supports it', withClues(ofNode('conntrack-full')), 'supports'],
  [
    'a full table supports it if GitHub lost the runner',
    withClues(ofNode('conntrack-full')),
    'supports',
    both(without('github-unreachable'), withClues(LOST)),
  ],
  [
    'a full table proves nothing if GitHub was reached',
    withClues(ofNode('conntrack-full')),
    'nothing',
    without('github-unreachable'),
  ],
  ['GitHub that lost it supports it', withClues(LOST), 'supports'],
  [
    'GitHub that lost it proves nothing without a line of the runner',
    withClues(LOST),
    'nothing',
    without('github-unreachable'),
  ],
  ['a node that fell silent supports it', withClues(eventFact('node-not-ready', { about: 'node' })), 'supports'],
  [
    'a node that fell silent proves nothing without a line of the runner',
    withClues(eventFact('node-not-ready', { about: 'node' })),
    'nothing',
    without('github-unreachable'),
  ],
])

const LOCK = logFact('lock-lost', { at: 550 })

describeCause('lock-lost', makeEvidence({ ...WORKED, clues: [logFact('job-running', { at: 61 }), LOCK] }), [
  ...ended('success', 'timed_out'),
  ['a cancel is another cause', withClues(logFact('cancellation-received')), 'refutes'],
  ['a time limit is another cause', withClues(logFact('job-time-limit')), 'refutes'],
  ['a stop before it came first', withClues(logFact('runner-stop-requested', { at: 540 })), 'refutes'],
  ['a stop after it is its effect', withClues(STOP_SIGNAL), 'nothing'],
  ['a job that was done lost nothing', withClues(makeResult('Succeeded')), 'refutes'],
  ['a runner that could not reach GitHub is another cause', withClues(CUT), 'refutes'],
  ['a lock that the server dropped is a guess', without('lock-lost'), 0.5, withClues(logFact('job-dropped-by-server'))],
  [
    'a job that the runner abandoned is not',
    withClues(makeResult('Abandoned')),
    'names',
    both(without('lock-lost'), withClues(logFact('job-dropped-by-server'))),
  ],
  [
    'a result Failed in the runner log is',
    withClues(makeResult('Canceled')),
    'nothing',
    both(without('lock-lost'), withClues(logFact('job-dropped-by-server'))),
  ],
  [
    'the known bug supports it if a renewal failed',
    withClues(logFact('renewal-null-reference')),
    'names',
    both(without('lock-lost'), withClues(logFact('lock-renewal-failing'))),
  ],
  [
    'a null reference of another thing does not',
    withClues(logFact('renewal-null-reference')),
    'nothing',
    without('lock-lost'),
  ],
  ['GitHub that lost the runner supports it', withClues(LOST), 'supports'],
  ['GitHub that lost the runner says nothing alone', withClues(LOST), 'nothing', without('lock-lost')],
])
