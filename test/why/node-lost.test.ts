import {
  END,
  makeAudit,
  makeCondition,
  endedPod,
  eventFact,
  makeEvidence,
  logFact,
  looking,
  makeNode,
  makePod,
  second,
} from '#test/why/evidence.ts'
import {
  DEADLINE,
  EVICTED,
  IDLE,
  SUCCEEDED,
  STOP_SIGNAL,
  WORKED,
  WORK_UNKNOWN,
  both,
  describeCause,
  withClues,
  without,
} from '#test/why/weighing.ts'
import type { Row } from '#test/why/weighing.ts'

const WORK: readonly Row[] = [
  ['a runner that is not known to have had a job is a guess', WORK_UNKNOWN, 0.5],
  ['a runner that had no job lost none', IDLE, 'refutes'],
]
const REBOOTED = eventFact('node-rebooted', { about: 'node' })
const NOT_READY = eventFact('node-not-ready', { about: 'node' })
const SILENT = makeCondition('Ready', { status: 'Unknown' })
const seenLast = makePod({ lastSeenAt: second(END) })
const boot = [{ id: 'a', from: second(0), to: second(900) }]
const away = makeEvidence({ ...WORKED, pod: seenLast, clues: [logFact('job-running', { at: 61 }), REBOOTED] })
/** Missing and silent: two signs, neither of which is proof. */
const twoSigns = both(without('node-rebooted'), { isNodeListed: false, clues: [NOT_READY] })
const found = { pod: endedPod(255, { reason: 'Unknown', finishedAt: second(800) }) }

describeCause('node-lost', away, [
  ...WORK,
  ['a job that succeeded lost nothing', SUCCEEDED, 'refutes'],
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['a deadline has its own cause', withClues(DEADLINE), 'refutes'],
  ['a runner that received a signal was stopped', withClues(STOP_SIGNAL), 'refutes'],
  ['a container that ended by itself was not lost', { pod: endedPod(1) }, 'refutes'],
  ['a container that was killed may have been', { pod: endedPod(137) }, 'nothing'],
  ['a state that was lost may have been', { pod: endedPod(1, { reason: 'ContainerStatusUnknown' }) }, 'nothing'],
  ['a journal that continues in one boot refutes weak signs', { boots: boot }, 'refutes', twoSigns],
  ['a journal that continues does not refute a proof', { boots: boot }, 'nothing'],
  ['one sign alone is a guess: the node is missing', both(without('node-rebooted'), { isNodeListed: false }), 0.5],
  ['one sign alone is a guess: the node is silent', both(without('node-rebooted'), withClues(NOT_READY)), 0.5],
  [
    'one source that shows it twice is one sign',
    both(without('node-rebooted'), { isNodeListed: false, node: makeNode({ conditions: [SILENT] }) }),
    0.5,
  ],
  ['two signs are not', withClues(NOT_READY), 'names', both(without('node-rebooted'), { isNodeListed: false })],
  [
    'a container that ended as an error was not found dead',
    { pod: endedPod(255) },
    'nothing',
    both(without('node-rebooted'), { isNodeListed: false }),
  ],
  [
    'a container that was killed was not found dead',
    { pod: endedPod(137, { reason: 'Unknown' }) },
    'nothing',
    both(without('node-rebooted'), { isNodeListed: false }),
  ],
  [
    'two signs are enough without a time if the node is still away',
    { node: makeNode({ conditions: [SILENT] }) },
    'names',
    both(twoSigns, { log: null }),
  ],
  [
    'one sign and a container that was found dead are not',
    found,
    'names',
    both(without('node-rebooted'), { isNodeListed: false }),
  ],
  ['two signs are a guess if it is not known when it fell silent', { log: null }, 0.5, twoSigns],
  ['a proof is not', { log: null }, 'nothing'],
  [
    'a node without a sign was not lost',
    both(without('node-rebooted'), found, {
      neighbours: [endedPod(255, {}, { name: 'a' }), endedPod(255, {}, { name: 'b' })],
      auditLog: [makeAudit({ at: 700, user: 'system:serviceaccount:kube-system:pod-garbage-collector' })],
    }),
    0.5,
  ],
  ['a runner that still runs was not lost', { pod: makePod() }, 0],
  [
    'it need not be shown that the machine stayed up if nothing was found dead',
    (e) => ({ ...e, sources: looking('logs') }),
    'nothing',
    both(without('node-rebooted'), withClues(NOT_READY), {
      node: makeNode({ conditions: [SILENT] }),
      sources: looking('journal'),
    }),
  ],
  [
    'it need not be shown that the machine stayed up if the node is missing',
    (e) => ({ ...e, sources: looking('logs') }),
    'nothing',
    both(without('node-rebooted'), found, { isNodeListed: false, sources: looking('journal') }),
  ],
  [
    'it must be shown whether the machine stayed up',
    (e) => ({ ...e, sources: looking('logs') }),
    0.75,
    both(without('node-rebooted'), withClues(NOT_READY), found, { sources: looking('journal') }),
  ],
  [
    'other pods that were lost at the same time support it',
    { neighbours: [endedPod(255, {}, { name: 'a' }), endedPod(255, {}, { name: 'b' })] },
    'nothing',
  ],
  [
    'the garbage collector that deleted it supports it',
    { auditLog: [makeAudit({ at: 590, user: 'system:serviceaccount:kube-system:pod-garbage-collector' })] },
    'supports',
  ],
  [
    'the garbage collector is a second sign',
    { auditLog: [makeAudit({ at: 700, user: 'system:serviceaccount:kube-system:pod-garbage-collector' })] },
    'names',
    both(without('node-rebooted'), withClues(NOT_READY)),
  ],
  [
    'anyone else who deleted it is none',
    { auditLog: [makeAudit({ at: 700 })] },
    'nothing',
    both(without('node-rebooted'), withClues(NOT_READY)),
  ],
  [
    'a container that the kubelet stopped before was drained, and the node removed afterwards',
    withClues(eventFact('kubelet-stops-container', { at: 500, fields: { container: 'runner' } })),
    'refutes',
  ],
  [
    'a container that the kubelet stopped when it was back was lost',
    withClues(eventFact('kubelet-stops-container', { at: 700, fields: { container: 'runner' } })),
    'nothing',
  ],
  ['another actor that deleted it does not', { auditLog: [makeAudit({ at: 590 })] }, 'nothing'],
])
