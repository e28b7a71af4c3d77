import {
  END,
  endedPod,
  eventFact,
  makeEvidence,
  journalFact,
  logFact,
  makeLog,
  looking,
  second,
  makeVitals,
} from '#test/why/evidence.ts'
import {
  DEADLINE,
  DELETED,
  EVICTED,
  FORCED,
  IDLE,
  LOST,
  REAPED,
  STOPPED,
  SUCCEEDED,
  WORKED,
  WORK_UNKNOWN,
  both,
  describeCause,
  withClues,
  without,
} from '#test/why/weighing.ts'
import type { Row } from '#test/why/weighing.ts'

const ofNode = (is: string, changes: Parameters<typeof journalFact>[1] = {}) =>
  journalFact(is, { about: 'node', ...changes })
const kill = (victim: string) =>
  journalFact('oom-kill', { at: 300, fields: { victim, constraint: 'CONSTRAINT_MEMCG' } })
const KATA = { runtimeClass: 'kata' }
const WORK: readonly Row[] = [
  ['a runner that is not known to have had a job is a guess', WORK_UNKNOWN, 0.5],
  ['a runner that had no job lost none', IDLE, 'refutes'],
]
const OTHER_ENDS: readonly Row[] = [
  ...WORK,
  ['a job that succeeded lost nothing', SUCCEEDED, 'refutes'],
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['a deadline has its own cause', withClues(DEADLINE), 'refutes'],
  ['a later delete is clean-up', REAPED, 'doubts'],
]
const STOPS: readonly Row[] = [
  ['a stop by the kubelet came from outside', withClues(STOPPED), 'refutes'],
  ['a delete before the end came from outside', DELETED, 'refutes'],
  ['a forced delete came from outside', FORCED, 'refutes'],
]
const SHIM = journalFact('shim-lost')

describeCause('killed-in-container', makeEvidence({ ...WORKED, pod: endedPod(137), sources: looking('journal') }), [
  ...OTHER_ENDS,
  ...STOPS,
  ['OOMKilled has its own cause', { pod: endedPod(137, { reason: 'OOMKilled' }) }, 'refutes'],
  ['a kill for memory has its own cause', withClues(kill('java')), 'refutes'],
  [
    'a counter of kills has its own cause',
    { cgroups: [{ container: null, files: new Map([['memory.events', 'oom_kill 1']]) }] },
    'refutes',
  ],
  ['a host without memory has its own cause', withClues(ofNode('global-oom-kill')), 'refutes'],
  ['a virtual machine that was killed has its own cause', withClues(kill('qemu-system-x86')), 'refutes'],
  ['a guest without memory has its own cause', withClues(logFact('guest-out-of-memory')), 'refutes'],
  ['a task that ran out has its own cause', withClues(journalFact('task-oom')), 'refutes'],
  [
    'kills that the guest counts have their own cause',
    { vitals: [makeVitals({ oomKills: 1 })] },
    'refutes',
    { pod: endedPod(137, {}, KATA), vitals: [makeVitals({ oomKills: 0 })] },
  ],
  ['a lost shim explains it', withClues(SHIM), 'refutes'],
  ['another runtime fault does not', withClues(ofNode('pleg-unhealthy')), 'nothing'],
  ['if no source covers the time, it is not named', { sources: looking(['journal', 0, END - 1]) }, 0.5],
  [
    'the host cannot see into a microVM',
    { pod: endedPod(137, {}, KATA) },
    0.7,
    withClues(
      LOST,
      journalFact('container-exit', { fields: { code: '137', name: 'runner' } }),
      logFact('worker-crashed', { fields: { code: '137' } }),
    ),
  ],
  ['nor a signal inside it', { pod: endedPod(137, {}, KATA) }, 'leaves open', withClues(LOST)],
  [
    'vitals can',
    { vitals: [makeVitals()] },
    'supports',
    both(
      { pod: endedPod(137, {}, KATA) },
      withClues(
        LOST,
        journalFact('container-exit', { fields: { code: '137', name: 'runner' } }),
        logFact('worker-crashed', { fields: { code: '137' } }),
      ),
    ),
  ],
  ['GitHub that lost the runner supports it', withClues(LOST), 'supports'],
  [
    'GitHub that lost the runner proves nothing about one that was not killed',
    withClues(LOST),
    'nothing',
    { pod: endedPod(1) },
  ],
])

const AGENT = journalFact('guest-agent-lost')

describeCause(
  'vm-teardown',
  makeEvidence({ ...WORKED, pod: endedPod(255, {}, KATA), clues: [logFact('job-running', { at: 61 }), AGENT] }),
  [
    ...OTHER_ENDS,
    ...STOPS,
    ['a virtual machine that was killed for memory has its own cause', withClues(kill('qemu-system-x86')), 'refutes'],
    ['without a line of the shim it is a guess', without('guest-agent-lost'), 0.5],
    [
      'a line about the node supports it in a microVM',
      withClues(ofNode('guest-agent-lost')),
      'names',
      without('guest-agent-lost'),
    ],
    [
      'a line about the node proves nothing about an ordinary container',
      withClues(ofNode('guest-agent-lost')),
      'nothing',
      both(without('guest-agent-lost'), { pod: endedPod(255) }),
    ],
    ['255 supports it', { pod: endedPod(255, {}, KATA) }, 'supports', { pod: endedPod(1, {}, KATA) }],
    [
      '255 supports it a little without a line',
      { pod: endedPod(255, {}, KATA) },
      'supports',
      both(without('guest-agent-lost'), { pod: endedPod(1, {}, KATA) }),
    ],
    [
      '255 of an ordinary container proves nothing without a line',
      { pod: endedPod(255) },
      'nothing',
      both(without('guest-agent-lost'), { pod: endedPod(1) }),
    ],
  ],
)

const REBOOTED = eventFact('node-rebooted', { about: 'node' })
const NOT_READY = eventFact('node-not-ready', { about: 'node' })
const boot = [{ id: 'a', from: second(0), to: second(900) }]
const shimLost = makeEvidence({ ...WORKED, pod: endedPod(255), clues: [logFact('job-running', { at: 61 }), SHIM] })
const DAEMON = ofNode('service-exited', { fields: { unit: 'containerd.service' } })
const unknown = (changes = {}) => endedPod(255, { reason: 'Unknown', ...changes })

describeCause('runtime-fault', shimLost, [
  ...OTHER_ENDS,
  ...STOPS,
  ['a lost node explains the runtime fault', withClues(REBOOTED), 'refutes'],
  ['a virtual machine that was killed for memory has its own cause', withClues(kill('qemu-system-x86')), 'refutes'],
  ...['guest-agent-lost', 'sandbox-stopped-unexpectedly', 'vmm-terminated'].map((is): Row => [
    `a virtual machine that fell has its own name: ${is}`,
    withClues(journalFact(is)),
    'refutes',
  ]),
  ['without a line of the runtime it is a guess', without('shim-lost'), 0.5, withClues({ ...SHIM, source: 'logs/x' })],
  ['a failed daemon is such a line', withClues(DAEMON), 'names', without('shim-lost')],
  [
    'a failed daemon proves nothing about a container that was not lost',
    withClues(DAEMON),
    'nothing',
    both(without('shim-lost'), { pod: endedPod(1) }),
  ],
  ['a failed disk is such a line', withClues(ofNode('io-error')), 'names', without('shim-lost')],
  [
    'a machine that stayed up while the container was found dead is such a line',
    { boots: boot },
    'names',
    both(without('shim-lost'), { pod: unknown() }),
  ],
  [
    'a machine that stayed up proves nothing about a container that ended as an error',
    { boots: boot },
    'nothing',
    without('shim-lost'),
  ],
  [
    'in a microVM a failed daemon may be the virtual machine',
    { pod: endedPod(255, {}, KATA) },
    0.5,
    both(without('shim-lost'), withClues(DAEMON)),
  ],
  ['in a microVM the shim that was lost is the runtime', { pod: endedPod(255, {}, KATA) }, 'nothing'],
  [
    'in a microVM a disk that failed is the host',
    { pod: endedPod(255, {}, KATA) },
    'nothing',
    both(without('shim-lost'), withClues(ofNode('io-error'))),
  ],
  ['a node that fell silent may be lost', withClues(NOT_READY), 0.5],
  ['a node that fell silent stayed up if its journal shows it', { boots: boot }, 'names', withClues(NOT_READY)],
  [
    'other pods that were lost at the same time support it',
    { neighbours: [endedPod(255, {}, { name: 'a' }), endedPod(255, {}, { name: 'b' })] },
    'nothing',
  ],
  [
    'other lost pods prove nothing about a container that was not lost',
    { neighbours: [endedPod(255, {}, { name: 'a' }), endedPod(255, {}, { name: 'b' })] },
    'nothing',
    both(without('shim-lost'), { pod: endedPod(1) }),
  ],
  ['the log of a silent runner does not matter', { log: makeLog() }, 'nothing'],
])
