import {
  END,
  annotationFact,
  auditOf,
  blindTo,
  conditionOf,
  controllerFact,
  endedPod,
  evidenceOf,
  journalFact,
  logFact,
  looking,
  podOf,
  second,
} from '#test/why/evidence.ts'
import {
  DEADLINE,
  DELETED,
  EVICTED,
  FORCED,
  IDLE,
  REAPED,
  STOPPED,
  SUCCEEDED,
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

const RUNNING_LINE = logFact('job-running', { at: 61 })
const SHORT_GRACE = journalFact('short-grace', { at: END - 2, told: { seconds: '2' } })
const GARBAGE = [conditionOf('DisruptionTarget', { reason: 'DeletionByPodGC' })]
const KILL_OF_RUNNER = journalFact('oom-kill', {
  at: END,
  told: { victim: 'Runner.Listener', constraint: 'CONSTRAINT_MEMCG' },
})
const OTHER_ENDS: readonly Row[] = [
  ['a job that succeeded lost nothing', SUCCEEDED, 'refutes'],
  ['an eviction has its own name', told(EVICTED), 'refutes'],
  ['a deadline has its own name', told(DEADLINE), 'refutes'],
  ['a runner that is not known to have had a job is a guess', WORK_UNKNOWN, 0.5],
  ['a runner that had no job lost none', IDLE, 'refutes'],
]
const drained = evidenceOf({ ...WORKED, ...DELETED, pod: endedPod(143), clues: [RUNNING_LINE, TOLD_TO_STOP] })

describeCause('graceful-shutdown', drained, [
  ...OTHER_ENDS,
  ['an object that was taken away is another cause', (e) => ({ ...e, ...FORCED }), 'refutes'],
  ['garbage of a node that went is another cause', { pod: { ...endedPod(143), conditions: GARBAGE } }, 'refutes'],
  ['a delete after the end is reaping', REAPED, 'doubts'],
  ['a node that went later says nothing', { isNodeListed: false }, 'nothing'],
  [
    'a runner that was killed when the grace was over ignored it',
    told(journalFact('kill-sent')),
    'refutes',
    without('runner-told-to-stop'),
  ],
  ['a runner that heard, and was killed when the grace was over, heard', told(journalFact('kill-sent')), 'nothing'],
  ['if nobody asked, it is a guess', (e) => ({ ...e, audit: [] }), 0.5],
  ['where it heard nothing, it is a guess', both(without('runner-told-to-stop'), { pod: endedPod(1) }), 0.5],
  [
    'what it said long before anybody asked is about something else',
    both(without('runner-told-to-stop'), (e) => ({
      ...e,
      pod: endedPod(1),
      clues: [...e.clues, logFact('interrupted', { at: 90 })],
    })),
    0.5,
  ],
  [
    'where it ended well within its grace it is named, and not for certain: it may have ended its work just then',
    both(without('runner-told-to-stop'), { pod: endedPod(0) }),
    0.7,
  ],
  [
    'if it is not known whether it lived then, it is little',
    both(without('runner-told-to-stop'), (e) => ({
      ...e,
      pod: podOf({ lastSeenAt: second(400) }),
      log: null,
      clues: [annotationFact('shutdown-annotated'), ...e.clues],
    })),
    0.3,
  ],
  [
    'a runner that still runs was not ended',
    both(without('runner-told-to-stop'), (e) => ({ ...e, pod: podOf(), audit: e.audit })),
    0,
  ],
])

const GRACE = { clues: [RUNNING_LINE, { ...STOPPED, at: second(END - 30) }] }
const ignored = evidenceOf({
  ...WORKED,
  ...GRACE,
  pod: endedPod(137),
  audit: [auditOf({ at: END - 30, graceSeconds: 30 })],
})

describeCause('drain-without-trap', ignored, [
  [
    'a runner that ended by itself within its grace was not killed for it',
    { pod: endedPod(0, { finishedAt: second(END - 20) }) },
    'refutes',
  ],
  ...OTHER_ENDS,
  ['a delete after the end is reaping', REAPED, 'doubts'],
  ['an object that was taken away is another cause', (e) => ({ ...e, ...FORCED }), 'refutes'],
  ['a runner that heard did not ignore it', told(logFact('runner-told-to-stop', { at: 575 })), 'refutes'],
  ['a runner that the kernel killed was not killed for its grace', told(KILL_OF_RUNNER), 'refutes'],
  [
    'a step that the kernel killed says nothing',
    told({ ...KILL_OF_RUNNER, at: second(300), told: { victim: 'java' } }),
    'nothing',
  ],
  [
    'the mark of memory says nothing where the grace was over',
    { pod: endedPod(137, { reason: 'OOMKilled' }) },
    'nothing',
  ],
  [
    'the mark of memory refutes it where the grace was not over',
    { pod: endedPod(137, { reason: 'OOMKilled', finishedAt: second(580) }) },
    'refutes',
    { pod: endedPod(137, { finishedAt: second(580) }), sources: looking('logs') },
  ],
  ['garbage of a node that went is another cause', { pod: { ...endedPod(137), conditions: GARBAGE } }, 'refutes'],
  ['if nobody asked, it is a guess', (e) => ({ ...e, audit: [] }), 0.5],
  ['a node that went later says nothing', { isNodeListed: false }, 'nothing'],
  ['a runner that was not killed ended in another way', { pod: endedPod(1) }, 0.5, { sources: looking('logs') }],
  ['a kill that the runtime sent is enough', told(journalFact('kill-sent')), 'names', { pod: endedPod(1) }],
  [
    'a kill at another time is not known to be that of the grace',
    { pod: endedPod(137, { finishedAt: second(580) }) },
    0.6,
    { sources: looking('logs') },
  ],
  [
    'a kill at another time is a guess where the log was not read',
    { pod: endedPod(137, { finishedAt: second(580) }) },
    0.5,
  ],
  [
    'it is not, where the log was read',
    { sources: looking('logs') },
    'names',
    { pod: endedPod(137, { finishedAt: second(580) }) },
  ],
  [
    'a log that was not read does not matter where the grace was over',
    { sources: blindTo('logs') },
    'nothing',
    { sources: looking('logs') },
  ],
  [
    'if it is not known whether it lived then, it is little',
    (e) => ({
      ...e,
      pod: null,
      log: null,
      clues: [RUNNING_LINE, logFact('worker-crashed', { told: { code: '137' } })],
    }),
    0.3,
  ],
])

const taken = evidenceOf({ ...WORKED, ...FORCED, pod: endedPod(137) })
const REAPER = controllerFact('orphan-reaped', { at: 590 })
const byReaper = (e: typeof taken) => ({ ...e, audit: [], clues: [...e.clues, REAPER] })

describeCause('force-deleted', taken, [
  ...OTHER_ENDS,
  [
    'a delete after the end is reaping',
    (e) => ({ ...e, ...REAPED }),
    'doubts',
    (e) => ({ ...e, audit: [], clues: [...e.clues, REAPER] }),
  ],
  ['garbage of a node that went is another cause', { pod: { ...endedPod(137), conditions: GARBAGE } }, 'refutes'],
  [
    'another disruption is none',
    { pod: { ...endedPod(137), conditions: [conditionOf('DisruptionTarget', { reason: 'EvictionByEvictionAPI' })] } },
    'nothing',
  ],
  ['a node that is missing says nothing against it', { isNodeListed: false }, 'nothing'],
  [
    'the garbage collector that deleted it is another cause',
    { audit: [auditOf({ at: 591, graceSeconds: 0, user: 'system:serviceaccount:kube-system:pod-garbage-collector' })] },
    'refutes',
  ],
  ['an ordinary delete at the same time refutes it', DELETED, 'refutes', byReaper],
  [
    'an ordinary delete in the object alone does not',
    { pod: endedPod(137, {}, { deletedAt: second(601), graceSeconds: 1 }) },
    'nothing',
  ],
  ['a delete that is known to come after the end does not', REAPED, 'nothing', byReaper],
  [
    'without a delete by force it is a guess',
    (e) => ({ ...e, audit: [], clues: [...e.clues, SHORT_GRACE, STOPPED] }),
    0.5,
  ],
  ['a reaper that says so is enough', told(REAPER), 'names', (e) => ({ ...e, audit: [] })],
  ['a short grace supports it', told(SHORT_GRACE), 'supports'],
  [
    'a short grace says nothing of a pod whose own is short',
    told(SHORT_GRACE),
    'nothing',
    { pod: endedPod(137, {}, { specGraceSeconds: 2 }) },
  ],
  ['a short grace alone says nothing', told(SHORT_GRACE), 'nothing', (e) => ({ ...e, audit: [] })],
  [
    'two seconds that the runtime was given support it',
    told(journalFact('stop-requested', { at: END - 2, told: { seconds: '2' } })),
    'supports',
  ],
  [
    'the grace that the pod asked for does not',
    told(journalFact('stop-requested', { at: END - 2, told: { seconds: '30' } })),
    'nothing',
  ],
  ['a stop in the events supports it', told(STOPPED), 'supports'],
  ['a stop in the journal does not', told(journalFact('stop-requested', { at: 595 })), 'nothing'],
  ['a stop in the events alone says nothing', told(STOPPED), 'nothing', (e) => ({ ...e, audit: [] })],
  [
    'if it is not known whether it lived then, it is little',
    (e) => ({ ...e, pod: podOf({ lastSeenAt: second(400) }), log: null }),
    0.3,
  ],
  ['a runner that told its own failure before was at its end', told(resultOf('Failed')), 'refutes'],
])
