import {
  END,
  RUNNING,
  auditOf,
  containerOf,
  endedPod,
  eventFact,
  evidenceOf,
  jobLogFact,
  jobOf,
  journalFact,
  logFact,
  logOf,
  looking,
  podOf,
  second,
  vitalsOf,
} from '#test/why/evidence.ts'
import {
  DEADLINE,
  DELETED,
  EVICTED,
  FORCED,
  IDLE,
  LOST,
  OVER_OWN_LIMIT,
  REAPED,
  STOPPED,
  TOLD_TO_STOP,
  WORKED,
  WORK_UNKNOWN,
  both,
  describeCause,
  resultOf,
  told,
  without,
} from '#test/why/weighing.ts'
import type { Row } from '#test/why/weighing.ts'

const ofNode = (is: string, changes: Parameters<typeof journalFact>[1] = {}) =>
  journalFact(is, { about: 'node', ...changes })
const STOPS: readonly Row[] = [
  ['a stop by the kubelet came from outside', told(STOPPED), 'refutes'],
  ['a delete before the end came from outside', DELETED, 'refutes'],
  ['a forced delete came from outside', FORCED, 'refutes'],
]
const ended = (...conclusions: readonly string[]): readonly Row[] =>
  conclusions.map((conclusion): Row => [
    `a job that ended as ${conclusion} did not end by this`,
    { job: jobOf({ conclusion }) },
    'refutes',
  ])

describeCause('disk-full', evidenceOf({ clues: [logFact('no-space-left')] }), [
  ...ended('success'),
  ['an eviction has its own cause', told(EVICTED), 'refutes'],
  ['an eviction over its own limit too', told(OVER_OWN_LIMIT), 'refutes'],
  [
    'a full disk without a failed write is a guess',
    without('no-space-left'),
    0.5,
    {
      host: new Map([['df', 'overlay 1 1 0 100% /']]),
      clues: [logFact('disk-nearly-full'), jobLogFact('disk-nearly-full')],
    },
  ],
  ['an IO error of the job is a failed write', told(logFact('job-failed-by-io')), 'names', without('no-space-left')],
])

const TABLE = ofNode('file-table-full')
const fileNr = { host: new Map([['proc/sys/fs/file-nr', '99\t0\t100']]) }

describeCause('fd-exhausted', evidenceOf({ clues: [logFact('host-files-exhausted')] }), [
  ...ended('success'),
  ['a full table of the host supports it', told(TABLE), 'supports'],
  ['a full table proves nothing without a failure', told(TABLE), 'nothing', without('host-files-exhausted')],
  [
    'a full table supports it if GitHub lost the runner',
    told(TABLE),
    'supports',
    both(without('host-files-exhausted'), told(LOST)),
  ],
  ['a counter of the host supports it', fileNr, 'supports'],
  ['a counter of the host proves nothing without a failure', fileNr, 'nothing', without('host-files-exhausted')],
])

describeCause('pids-exhausted', evidenceOf({ clues: [logFact('fork-failed')] }), [
  ...ended('success'),
  ['an eviction has its own cause', told(EVICTED), 'refutes'],
  [
    'a cgroup that refused supports it',
    { cgroups: [{ container: null, files: new Map([['pids.events', 'max 3']]) }] },
    'supports',
  ],
])

const RENEWED = [logFact('lock-renewed', { at: 100 }), logFact('lock-renewed', { at: 300 })]
const STALL = ofNode('soft-lockup')
const starved = evidenceOf({
  ...WORKED,
  log: logOf({ lastAt: second(310) }),
  clues: [logFact('job-running', { at: 61 }), ...RENEWED, STALL],
  pod: podOf({ containers: [containerOf({ state: RUNNING })] }),
  subject: { ...evidenceOf().subject },
})
const near = { clues: [ofNode('soft-lockup', { at: 305 })] }

describeCause('host-starvation', both(without('soft-lockup'), near)(starved), [
  ...ended('success', 'cancelled', 'timed_out'),
  ['a network that failed is another cause', told(logFact('github-unreachable', { at: 305 })), 'refutes'],
  ['a container that was killed was not starved', { pod: endedPod(137, { finishedAt: second(310) }) }, 'refutes'],
  ['a runner that did its job was not starved', told(resultOf('Succeeded', 305)), 'refutes'],
  ['a stop by the kubelet came from outside', told({ ...STOPPED, at: second(305) }), 'refutes'],
  [
    'a delete before the end came from outside',
    { audit: [auditOf({ at: 305 })] },
    'refutes',
    { pod: endedPod(1, { finishedAt: second(310) }) },
  ],
  ['without a sign of the runner it is a guess', without('lock-renewed'), 0.5],
  [
    'without a sign of the host it is a guess',
    without('soft-lockup'),
    0.5,
    told(LOST, logFact('worker-handover-timed-out', { at: 305 })),
  ],
  ['pressure is a sign of both', { vitals: [vitalsOf({ cpuPressure: 90 })] }, 'names', without('soft-lockup')],
  ['GitHub that gave up on it supports it', told(LOST), 'supports'],
  [
    'GitHub that gave up on it proves nothing without a sign of the runner',
    told(LOST),
    'nothing',
    without('lock-renewed', 'soft-lockup'),
  ],
])

const CUT = logFact('github-unreachable', { at: 500, text: 'Runner connect error: timed out' })
const unreached = evidenceOf({ ...WORKED, clues: [logFact('job-running', { at: 61 }), CUT] })

describeCause('network-fault', unreached, [
  ...ended('success', 'cancelled', 'timed_out'),
  ...STOPS.map(([what, change, effect]): Row => [what, change, effect, { pod: endedPod(1) }]),
  ['a job that GitHub had closed before lost nothing', { job: jobOf({ completedAt: second(400) }) }, 'refutes'],
  ['a result Succeeded in the runner log may not have reached GitHub', told(resultOf('Succeeded')), 'nothing'],
  ['a container that was killed was not cut off', { pod: endedPod(137) }, 'refutes'],
  [
    'a runner that reached GitHub again was not',
    told(logFact('github-reached-again', { at: 550, order: 9 })),
    'refutes',
  ],
  [
    'without a line of the runner it is a guess',
    without('github-unreachable'),
    0.5,
    told(ofNode('conntrack-full'), LOST),
  ],
  ['a full table of connections supports it', told(ofNode('conntrack-full')), 'supports'],
  [
    'a full table supports it if GitHub lost the runner',
    told(ofNode('conntrack-full')),
    'supports',
    both(without('github-unreachable'), told(LOST)),
  ],
  [
    'a full table proves nothing if GitHub was reached',
    told(ofNode('conntrack-full')),
    'nothing',
    without('github-unreachable'),
  ],
  ['GitHub that lost it supports it', told(LOST), 'supports'],
  [
    'GitHub that lost it proves nothing without a line of the runner',
    told(LOST),
    'nothing',
    without('github-unreachable'),
  ],
  ['a node that fell silent supports it', told(eventFact('node-not-ready', { about: 'node' })), 'supports'],
  [
    'a node that fell silent proves nothing without a line of the runner',
    told(eventFact('node-not-ready', { about: 'node' })),
    'nothing',
    without('github-unreachable'),
  ],
])

const LOCK = logFact('lock-lost', { at: 550 })

describeCause('lock-lost', evidenceOf({ ...WORKED, clues: [logFact('job-running', { at: 61 }), LOCK] }), [
  ...ended('success', 'timed_out'),
  ['a cancel is another cause', told(logFact('cancellation-received')), 'refutes'],
  ['a time limit is another cause', told(logFact('job-time-limit')), 'refutes'],
  ['a stop before it came first', told(logFact('runner-told-to-stop', { at: 540 })), 'refutes'],
  ['a stop after it is its effect', told(TOLD_TO_STOP), 'nothing'],
  ['a job that was done lost nothing', told(resultOf('Succeeded')), 'refutes'],
  ['a runner that could not reach GitHub is another cause', told(CUT), 'refutes'],
  ['a lock that the server dropped is a guess', without('lock-lost'), 0.5, told(logFact('job-dropped-by-server'))],
  [
    'a job that the runner abandoned is not',
    told(resultOf('Abandoned')),
    'names',
    both(without('lock-lost'), told(logFact('job-dropped-by-server'))),
  ],
  [
    'a result Failed in the runner log is',
    told(resultOf('Canceled')),
    'nothing',
    both(without('lock-lost'), told(logFact('job-dropped-by-server'))),
  ],
  [
    'the known bug supports it if a renewal failed',
    told(logFact('renewal-null-reference')),
    'names',
    both(without('lock-lost'), told(logFact('lock-renewal-failing'))),
  ],
  [
    'a null reference of another thing does not',
    told(logFact('renewal-null-reference')),
    'nothing',
    without('lock-lost'),
  ],
  ['GitHub that lost the runner supports it', told(LOST), 'supports'],
  ['GitHub that lost the runner says nothing alone', told(LOST), 'nothing', without('lock-lost')],
])

const SEGFAULT = ofNode('segfault', { told: { victim: 'Runner.Listener' } })
const KILL = (victim: string) => journalFact('oom-kill', { at: 300, told: { victim, constraint: 'CONSTRAINT_MEMCG' } })
const crashed = evidenceOf({ ...WORKED, pod: endedPod(139), sources: looking('logs', 'journal') })
const folded = (told: Record<string, string>) => ({
  pod: endedPod(0),
  clues: [logFact('runner-process-killed', { told })],
})

describeCause('process-crash', crashed, [
  ...STOPS,
  ...ended('success'),
  ['an eviction has its own cause', told(EVICTED), 'refutes'],
  ['a deadline has its own cause', told(DEADLINE), 'refutes'],
  ['a later delete is clean-up', REAPED, 'doubts'],
  ['a runner that is not known to have had a job is a guess', WORK_UNKNOWN, 0.5],
  ['a runner that had no job lost none', IDLE, 'refutes'],
  ['a disk without space has its own cause', told(logFact('no-space-left')), 'refutes'],
  ['a runner that the kernel killed did not crash', told(KILL('Runner.Worker')), 'refutes'],
  ['a step that the kernel killed proves nothing', told(KILL('java')), 'nothing'],
  ['a line of the kernel supports it', told(SEGFAULT), 'supports'],
  ['a line about another process does not', told(ofNode('segfault', { told: { victim: 'node' } })), 'nothing'],
  [
    'a line at another time does not',
    told(ofNode('segfault', { at: END - 4, told: { victim: 'Runner.Listener' } })),
    'nothing',
  ],
  ['a line of the kernel alone is a weak guess', { pod: endedPod(1) }, 0.45, told(SEGFAULT)],
  ['a crash that run-helper.sh turned into 0 is one', folded({ code: '139' }), 'names', { pod: endedPod(0) }],
  ['an abort in the shell output counts', folded({ signal: 'Aborted' }), 'names', { pod: endedPod(0) }],
  ['a kill that run-helper.sh turned into 0 is not', folded({ code: '137' }), 'nothing', { pod: endedPod(0) }],
  [
    'a worker that crashed is one',
    told(logFact('worker-crashed', { told: { code: '134' } })),
    'names',
    { pod: endedPod(1) },
  ],
  [
    'a worker that was killed is not',
    told(logFact('worker-crashed', { told: { code: '137' } })),
    'nothing',
    { pod: endedPod(1) },
  ],
  ['without the log it is a guess', (e) => ({ ...e, sources: looking('journal') }), 0.5],
  [
    'a line of the kernel is as good as the log',
    told(SEGFAULT),
    'names',
    (e) => ({ ...e, sources: looking('journal') }),
  ],
  [
    'a crash for lack of memory is a guess if no source covers the time',
    (e) => ({ ...e, sources: looking('logs') }),
    0.5,
    told(logFact('dotnet-out-of-memory')),
  ],
  [
    'a crash for lack of memory is named if the journal covers the time',
    told(logFact('dotnet-out-of-memory')),
    'nothing',
  ],
  ['a missing source does not matter to one that was not', (e) => ({ ...e, sources: looking('logs') }), 'nothing'],
])
