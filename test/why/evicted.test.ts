import { END, endedPod, eventFact, evidenceOf, journalFact, logOf, looking, podOf, second } from '#test/why/evidence.ts'
import { EVICTED, OVER_OWN_LIMIT, REJECTED, STOPPED, SUCCEEDED, both, describeCause, told } from '#test/why/weighing.ts'

const SHORT_GRACE = journalFact('short-grace', { at: END - 2, told: { seconds: '2' } })
const evicted = (message: string, changes = {}) => podOf({ phase: 'Failed', reason: 'Evicted', message, ...changes })
const LOW = 'The node was low on resource: ephemeral-storage.'
const OWN = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.'
const CONDITION = 'The node had condition: [DiskPressure].'
const unknownState = { containers: endedPod(137, { reason: 'ContainerStatusUnknown' }).containers }

describeCause('evicted-node-pressure', evidenceOf({ pod: evicted(LOW) }), [
  ['a pod over its own limit is another cause', told(OVER_OWN_LIMIT), 'refutes'],
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
    { pod: evicted(CONDITION, { startedAt: null, ...unknownState, createdAt: null }), log: logOf({ lines: 1 }) },
    'names',
    { pod: null },
  ],
  [
    'a rejection of a pod that ran, according to its log, supports it',
    told(REJECTED),
    'names',
    { pod: null, log: logOf() },
  ],
  ['a rejection of a pod of which nothing else is known does not', told(REJECTED), 'nothing', { pod: null }],
  [
    'a node that reclaims supports it',
    told(eventFact('node-reclaims', { about: 'node' })),
    'supports',
    { pod: evicted(CONDITION) },
  ],
  [
    'a node that reclaims proves nothing without an eviction',
    told(eventFact('node-reclaims', { about: 'node' })),
    'nothing',
    { pod: podOf() },
  ],
  [
    'a runner that exited before was not evicted',
    { pod: endedPod(0, { finishedAt: second(500) }) },
    'refutes',
    told(EVICTED),
  ],
  [
    'a runner that exited at the eviction may have been evicted',
    { pod: endedPod(0, { finishedAt: second(END - 5) }) },
    'nothing',
    both(told(EVICTED, STOPPED), { pod: podOf() }),
  ],
  [
    'a runner that was killed before the event was evicted',
    { pod: endedPod(137, { finishedAt: second(500) }) },
    'nothing',
    both(told(EVICTED, STOPPED), { pod: podOf() }),
  ],
  ['an unread state leaves it open', { pod: evicted(LOW, unknownState) }, 0.5],
  [
    'an unread state leaves it open, unless a log continues until then',
    { log: logOf() },
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
    told({ ...STOPPED, at: null }),
    'names',
    { pod: evicted(LOW, unknownState) },
  ],
  ['an event alone, without the pod, is weak evidence', both({ pod: null }, told(EVICTED)), 0.3],
  ['an event with a stop is enough', told(STOPPED), 'names', both({ pod: null }, told(EVICTED))],
])

describeCause('evicted-own-limit', evidenceOf({ pod: evicted(OWN) }), [
  ['a node that was low is another cause', told(EVICTED), 'refutes'],
  ['a job that succeeded lost nothing', SUCCEEDED, 'refutes'],
  [
    'a runner that exited before was not evicted',
    { pod: endedPod(0, { finishedAt: second(500) }) },
    'refutes',
    told(OVER_OWN_LIMIT),
  ],
  ['an unread state leaves it open', { pod: evicted(OWN, unknownState) }, 0.5],
  ['a short grace supports it', told(SHORT_GRACE), 'supports'],
  ['a short grace proves nothing without an eviction', told(SHORT_GRACE), 'nothing', { pod: podOf() }],
])

describeCause('deadline-exceeded', evidenceOf({ pod: podOf({ phase: 'Failed', reason: 'DeadlineExceeded' }) }), [
  ['a job that succeeded was in time', SUCCEEDED, 'refutes'],
])
