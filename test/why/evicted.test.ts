import {
  END,
  endedPod,
  eventFact,
  makeEvidence,
  journalFact,
  makeLog,
  looking,
  makePod,
  second,
} from '#test/why/evidence.ts'
import {
  EVICTED,
  OVER_OWN_LIMIT,
  REJECTED,
  STOPPED,
  SUCCEEDED,
  both,
  describeCause,
  withClues,
} from '#test/why/weighing.ts'

const SHORT_GRACE = journalFact('short-grace', { at: END - 2, fields: { seconds: '2' } })
const evicted = (message: string, changes = {}) => makePod({ phase: 'Failed', reason: 'Evicted', message, ...changes })
const LOW = 'The node was low on resource: ephemeral-storage.'
const OWN = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.'
const CONDITION = 'The node had condition: [DiskPressure].'
const unknownState = { containers: endedPod(137, { reason: 'ContainerStatusUnknown' }).containers }

describeCause('evicted-node-pressure', makeEvidence({ pod: evicted(LOW) }), [
  ['a pod over its own limit is another cause', withClues(OVER_OWN_LIMIT), 'refutes'],
  ['a job that succeeded lost nothing', SUCCEEDED, 'refutes'],
  ['a rejection of a started pod supports it', { pod: evicted(CONDITION, { containers: [] }) }, 'names', { pod: null }],
  [
    'a rejection of a pod that never started does not',
    { pod: evicted(CONDITION, { containers: [], startedAt: null }) },
    'nothing',
    { pod: null },
  ],
  [
    'a rejection of a pod with containers supports it',
    { pod: evicted(CONDITION, { startedAt: null, ...unknownState, createdAt: null }), log: makeLog({ lines: 1 }) },
    'names',
    { pod: null },
  ],
  [
    'a rejection of a pod that ran, according to its log, supports it',
    withClues(REJECTED),
    'names',
    { pod: null, log: makeLog() },
  ],
  ['a rejection of a pod of which nothing else is known does not', withClues(REJECTED), 'nothing', { pod: null }],
  [
    'a node that reclaims supports it',
    withClues(eventFact('node-reclaims', { about: 'node' })),
    'supports',
    { pod: evicted(CONDITION) },
  ],
  [
    'a node that reclaims proves nothing without an eviction',
    withClues(eventFact('node-reclaims', { about: 'node' })),
    'nothing',
    { pod: makePod() },
  ],
  [
    'a runner that exited before was not evicted',
    { pod: endedPod(0, { finishedAt: second(500) }) },
    'refutes',
    withClues(EVICTED),
  ],
  [
    'a runner that exited at the eviction may have been evicted',
    { pod: endedPod(0, { finishedAt: second(END - 5) }) },
    'nothing',
    both(withClues(EVICTED, STOPPED), { pod: makePod() }),
  ],
  [
    'a runner that was killed before the event was evicted',
    { pod: endedPod(137, { finishedAt: second(500) }) },
    'nothing',
    both(withClues(EVICTED, STOPPED), { pod: makePod() }),
  ],
  ['an unread state leaves it open', { pod: evicted(LOW, unknownState) }, 0.5],
  [
    'an unread state leaves it open, unless a log continues until then',
    { log: makeLog() },
    'names',
    { pod: evicted(LOW, unknownState) },
  ],
  [
    'an unread state leaves it open, unless the journal covers the time',
    { sources: looking('journal') },
    'names',
    { pod: evicted(LOW, unknownState) },
  ],
  [
    'an unread state leaves it open, unless the kubelet stopped it',
    withClues({ ...STOPPED, at: null }),
    'names',
    { pod: evicted(LOW, unknownState) },
  ],
  ['an event alone, without the pod, is weak evidence', both({ pod: null }, withClues(EVICTED)), 0.3],
  ['an event with a stop is enough', withClues(STOPPED), 'names', both({ pod: null }, withClues(EVICTED))],
])

describeCause('evicted-own-limit', makeEvidence({ pod: evicted(OWN) }), [
  ['a node that was low is another cause', withClues(EVICTED), 'refutes'],
  ['a job that succeeded lost nothing', SUCCEEDED, 'refutes'],
  [
    'a runner that exited before was not evicted',
    { pod: endedPod(0, { finishedAt: second(500) }) },
    'refutes',
    withClues(OVER_OWN_LIMIT),
  ],
  ['an unread state leaves it open', { pod: evicted(OWN, unknownState) }, 0.5],
  ['a short grace supports it', withClues(SHORT_GRACE), 'supports'],
  ['a short grace proves nothing without an eviction', withClues(SHORT_GRACE), 'nothing', { pod: makePod() }],
])

describeCause('deadline-exceeded', makeEvidence({ pod: makePod({ phase: 'Failed', reason: 'DeadlineExceeded' }) }), [
  ['a job that succeeded was in time', SUCCEEDED, 'refutes'],
])
