import {
  END,
  annotationFact,
  makeAudit,
  blindTo,
  makeCondition,
  controllerFact,
  endedPod,
  makeEvidence,
  journalFact,
  logFact,
  looking,
  makePod,
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
  STOP_SIGNAL,
  WORKED,
  WORK_UNKNOWN,
  both,
  describeCause,
  makeResult,
  withClues,
  without,
} from '#test/why/weighing.ts'
import type { Row } from '#test/why/weighing.ts'

const RUNNING_LINE = logFact('job-running', { at: 61 })
const SHORT_GRACE = journalFact('short-grace', { at: END - 2, fields: { seconds: '2' } })
const GARBAGE = [makeCondition('DisruptionTarget', { reason: 'DeletionByPodGC' })]
const KILL_OF_RUNNER = journalFact('oom-kill', {
  at: END,
  fields: { victim: 'Runner.Listener', constraint: 'CONSTRAINT_MEMCG' },
})
const OTHER_ENDS: readonly Row[] = [
  ['a job that succeeded lost nothing', SUCCEEDED, 'refutes'],
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['a deadline has its own cause', withClues(DEADLINE), 'refutes'],
  ['a runner that is not known to have had a job is a guess', WORK_UNKNOWN, 0.5],
  ['a runner that had no job lost none', IDLE, 'refutes'],
]
const drained = makeEvidence({ ...WORKED, ...DELETED, pod: endedPod(143), clues: [RUNNING_LINE, STOP_SIGNAL] })

describeCause('graceful-shutdown', drained, [
  ...OTHER_ENDS,
  ['a forced delete is another cause', (e) => ({ ...e, ...FORCED }), 'refutes'],
  [
    'garbage collection after a lost node is another cause',
    { pod: { ...endedPod(143), conditions: GARBAGE } },
    'refutes',
  ],
  ['a delete after the end is clean-up', REAPED, 'doubts'],
  ['a node that was lost later proves nothing', { isNodeListed: false }, 'nothing'],
  [
    'a runner that was killed at the end of its grace ignored the signal',
    withClues(journalFact('kill-sent')),
    'refutes',
    without('runner-stop-requested'),
  ],
  [
    'a runner that received the signal and was killed at the end of its grace received it',
    withClues(journalFact('kill-sent')),
    'nothing',
  ],
  ['without a request it is a guess', (e) => ({ ...e, auditLog: [] }), 0.5],
  ['without a received signal it is a guess', both(without('runner-stop-requested'), { pod: endedPod(1) }), 0.5],
  [
    'a line from long before the request is about something else',
    both(without('runner-stop-requested'), (e) => ({
      ...e,
      pod: endedPod(1),
      clues: [...e.clues, logFact('interrupted', { at: 90 })],
    })),
    0.5,
  ],
  [
    'an end well within the grace period names it, with a limit: it may have finished its work',
    both(without('runner-stop-requested'), { pod: endedPod(0) }),
    0.7,
  ],
  [
    'if it is not known whether it was alive then, it is weak evidence',
    both(without('runner-stop-requested'), (e) => ({
      ...e,
      pod: makePod({ lastSeenAt: second(400) }),
      log: null,
      clues: [annotationFact('shutdown-annotated'), ...e.clues],
    })),
    0.3,
  ],
  [
    'a runner that still runs was not ended',
    both(without('runner-stop-requested'), (e) => ({ ...e, pod: makePod(), auditLog: e.auditLog })),
    0,
  ],
])

const GRACE = { clues: [RUNNING_LINE, { ...STOPPED, at: second(END - 30) }] }
const ignored = makeEvidence({
  ...WORKED,
  ...GRACE,
  pod: endedPod(137),
  auditLog: [makeAudit({ at: END - 30, graceSeconds: 30 })],
})

describeCause('drain-without-trap', ignored, [
  [
    'a runner that ended by itself within its grace was not killed for it',
    { pod: endedPod(0, { finishedAt: second(END - 20) }) },
    'refutes',
  ],
  ...OTHER_ENDS,
  ['a delete after the end is clean-up', REAPED, 'doubts'],
  ['a forced delete is another cause', (e) => ({ ...e, ...FORCED }), 'refutes'],
  [
    'a runner that received the signal did not ignore it',
    withClues(logFact('runner-stop-requested', { at: 575 })),
    'refutes',
  ],
  ['a runner that the kernel killed was not killed for its grace', withClues(KILL_OF_RUNNER), 'refutes'],
  [
    'a step that the kernel killed proves nothing',
    withClues({ ...KILL_OF_RUNNER, at: second(300), fields: { victim: 'java' } }),
    'nothing',
  ],
  ['OOMKilled proves nothing if the grace period was over', { pod: endedPod(137, { reason: 'OOMKilled' }) }, 'nothing'],
  [
    'OOMKilled refutes it if the grace period was not over',
    { pod: endedPod(137, { reason: 'OOMKilled', finishedAt: second(580) }) },
    'refutes',
    { pod: endedPod(137, { finishedAt: second(580) }), sources: looking('logs') },
  ],
  [
    'garbage collection after a lost node is another cause',
    { pod: { ...endedPod(137), conditions: GARBAGE } },
    'refutes',
  ],
  ['without a request it is a guess', (e) => ({ ...e, auditLog: [] }), 0.5],
  ['a node that was lost later proves nothing', { isNodeListed: false }, 'nothing'],
  ['a runner that was not killed ended in another way', { pod: endedPod(1) }, 0.5, { sources: looking('logs') }],
  ['a kill that the runtime sent is enough', withClues(journalFact('kill-sent')), 'names', { pod: endedPod(1) }],
  [
    'a kill at another time may not come from the grace period',
    { pod: endedPod(137, { finishedAt: second(580) }) },
    0.6,
    { sources: looking('logs') },
  ],
  [
    'a kill at another time is a guess if the log was not read',
    { pod: endedPod(137, { finishedAt: second(580) }) },
    0.5,
  ],
  [
    'it is not a guess if the log was read',
    { sources: looking('logs') },
    'names',
    { pod: endedPod(137, { finishedAt: second(580) }) },
  ],
  [
    'an unread log does not matter if the grace period was over',
    { sources: blindTo('logs') },
    'nothing',
    { sources: looking('logs') },
  ],
  [
    'if it is not known whether it was alive then, it is weak evidence',
    (e) => ({
      ...e,
      pod: null,
      log: null,
      clues: [RUNNING_LINE, logFact('worker-crashed', { fields: { code: '137' } })],
    }),
    0.3,
  ],
])

const taken = makeEvidence({ ...WORKED, ...FORCED, pod: endedPod(137) })
const REAPER = controllerFact('orphan-reaped', { at: 590 })
const byReaper = (e: typeof taken) => ({ ...e, auditLog: [], clues: [...e.clues, REAPER] })

describeCause('force-deleted', taken, [
  ...OTHER_ENDS,
  [
    'a delete after the end is clean-up',
    (e) => ({ ...e, ...REAPED }),
    'doubts',
    (e) => ({ ...e, auditLog: [], clues: [...e.clues, REAPER] }),
  ],
  [
    'garbage collection after a lost node is another cause',
    { pod: { ...endedPod(137), conditions: GARBAGE } },
    'refutes',
  ],
  [
    'another disruption is not',
    { pod: { ...endedPod(137), conditions: [makeCondition('DisruptionTarget', { reason: 'EvictionByEvictionAPI' })] } },
    'nothing',
  ],
  ['a missing node does not contradict it', { isNodeListed: false }, 'nothing'],
  [
    'the garbage collector that deleted it is another cause',
    {
      auditLog: [
        makeAudit({ at: 591, graceSeconds: 0, user: 'system:serviceaccount:kube-system:pod-garbage-collector' }),
      ],
    },
    'refutes',
  ],
  ['a graceful delete at the same time refutes it', DELETED, 'refutes', byReaper],
  [
    'a graceful delete in the object alone does not',
    { pod: endedPod(137, {}, { deletedAt: second(601), graceSeconds: 1 }) },
    'nothing',
  ],
  ['a delete that is known to come after the end does not', REAPED, 'nothing', byReaper],
  [
    'without a forced delete it is a guess',
    (e) => ({ ...e, auditLog: [], clues: [...e.clues, SHORT_GRACE, STOPPED] }),
    0.5,
  ],
  ['the log line of a clean-up controller is enough', withClues(REAPER), 'names', (e) => ({ ...e, auditLog: [] })],
  ['a short grace supports it', withClues(SHORT_GRACE), 'supports'],
  [
    'a short grace proves nothing about a pod whose own is short',
    withClues(SHORT_GRACE),
    'nothing',
    { pod: endedPod(137, {}, { specGraceSeconds: 2 }) },
  ],
  ['a short grace alone proves nothing', withClues(SHORT_GRACE), 'nothing', (e) => ({ ...e, auditLog: [] })],
  [
    'two seconds of grace at the runtime support it',
    withClues(journalFact('stop-requested', { at: END - 2, fields: { seconds: '2' } })),
    'supports',
  ],
  [
    'the grace period of the pod spec does not',
    withClues(journalFact('stop-requested', { at: END - 2, fields: { seconds: '30' } })),
    'nothing',
  ],
  ['a stop in the events supports it', withClues(STOPPED), 'supports'],
  ['a stop in the journal does not', withClues(journalFact('stop-requested', { at: 595 })), 'nothing'],
  ['a stop in the events alone proves nothing', withClues(STOPPED), 'nothing', (e) => ({ ...e, auditLog: [] })],
  [
    'if it is not known whether it was alive then, it is weak evidence',
    (e) => ({ ...e, pod: makePod({ lastSeenAt: second(400) }), log: null }),
    0.3,
  ],
  ['a runner that reported its own failure before had ended its job', withClues(makeResult('Failed')), 'refutes'],
])
