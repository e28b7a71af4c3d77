import {
  END,
  endedPod,
  makeEvidence,
  jobLogFact,
  makeJob,
  journalFact,
  logFact,
  looking,
  makePod,
  second,
  makeStep,
  makeVitals,
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
  SUCCEEDED,
  WORKED,
  WORK_UNKNOWN,
  both,
  describeCause,
  makeResult,
  withClues,
  without,
} from '#test/why/weighing.ts'
import type { Row } from '#test/why/weighing.ts'

const kill = (victim: string, { constraint = 'CONSTRAINT_MEMCG', at = END } = {}) =>
  journalFact('oom-kill', { at, fields: { victim, constraint } })
const WORKER_KILLED = logFact('worker-crashed', { fields: { code: '137' } })
const RUNNER = kill('Runner.Listener')
const STEP = kill('java', { at: 300 })
const OF_HOST = kill('Runner.Worker', { constraint: 'CONSTRAINT_NONE' })
const VM = kill('qemu-system-x86')
const marked = (code: number) => ({ pod: endedPod(code, { reason: 'OOMKilled' }) })
const counted = { cgroups: [{ container: null, files: new Map([['memory.events', 'oom_kill 1']]) }] }
const JOURNAL = { sources: looking('journal') }
/** What contradicts every death of a working runner. */
/** The kernel killed a process in another container of the pod. */
const IN_SIDECAR = withClues(journalFact('oom-kill', { fields: { victim: 'dockerd', name: 'dind' } }))
const OTHER_ENDS: readonly Row[] = [
  ['a job that succeeded lost nothing', SUCCEEDED, 'refutes'],
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['a deadline has its own cause', withClues(DEADLINE), 'refutes'],
  ['a later delete is clean-up', REAPED, 'doubts'],
  ['a runner that is not known to have had a job is a guess', WORK_UNKNOWN, 0.5],
  ['a runner that had no job lost none', IDLE, 'refutes'],
]
/** It came from inside: nothing outside stopped it. */
const STOPS: readonly Row[] = [
  ['a stop by the kubelet came from outside', withClues(STOPPED), 'refutes'],
  ['a delete before the end came from outside', DELETED, 'refutes'],
  ['a forced delete came from outside', FORCED, 'refutes'],
]

describeCause('oom-container', makeEvidence({ ...WORKED, ...marked(137) }), [
  ['a job that succeeded lost nothing', SUCCEEDED, 'refutes'],
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['an eviction over its own limit too', withClues(OVER_OWN_LIMIT), 'refutes'],
  ['a deadline has its own cause', withClues(DEADLINE), 'refutes'],
  ['a kill of the runner supports it', withClues(RUNNER), 'supports'],
  ['a kill because the host ran out of memory refutes it', withClues(OF_HOST), 'refutes'],
  ['a kill of the virtual machine refutes it', withClues(VM), 'refutes'],
  [
    'a runner that reported the end of the job was not the victim',
    withClues(makeResult('Canceled')),
    'refutes',
    both(counted, { pod: null }, withClues(WORKER_KILLED)),
  ],
  [
    'a runner that reported the end of the job and was then killed was the victim',
    withClues(makeResult('Canceled')),
    'nothing',
  ],
  [
    'a runner that reported the end of the job and that the kernel killed was the victim',
    withClues(makeResult('Canceled')),
    'nothing',
    both({ pod: null }, withClues(RUNNER)),
  ],
  ['a step that was killed long before the end does not', withClues(STEP), 'nothing'],
  ['a stop refutes it if the kernel log has no kill at the end', withClues(STOPPED), 'refutes', JOURNAL],
  ['a delete refutes it if the kernel log has no kill at the end', DELETED, 'refutes', JOURNAL],
  ['a stop does not matter next to a kill at the end', withClues(STOPPED), 'nothing', both(JOURNAL, withClues(RUNNER))],
  [
    'a stop refutes it next to a kill long before the end',
    withClues(STOPPED),
    'refutes',
    both(JOURNAL, withClues({ ...RUNNER, at: second(END - 10) })),
  ],
  [
    'a stop does not matter next to a kill within ten seconds',
    withClues(STOPPED),
    'nothing',
    both(JOURNAL, withClues({ ...RUNNER, at: second(END - 9) })),
  ],
  [
    'a stop does not matter next to a kill without a time',
    withClues(STOPPED),
    'nothing',
    both(JOURNAL, withClues({ ...RUNNER, at: null })),
  ],
  [
    'a stop does not matter next to a kill where the end has no time',
    withClues(STOPPED),
    'nothing',
    both(JOURNAL, withClues({ ...RUNNER, at: second(100) }), {
      pod: endedPod(137, { reason: 'OOMKilled', finishedAt: null }),
      log: null,
    }),
  ],
  ['a stop leaves it open if the kernel log is blind', withClues(STOPPED), 'leaves open'],
  ['a killed container without evidence of memory is a guess', { pod: endedPod(137) }, 0.5],
  ['OOMKilled with another code is about a step if the log was not read', marked(0), 0.5],
  [
    'OOMKilled with another code is about the runner if its log breaks off',
    { sources: looking('logs') },
    'names',
    both(marked(0), withClues(RUNNER), without('oom-kill')),
  ],
  [
    'not if the runner exited by itself',
    withClues(logFact('one-time-runner-done')),
    0.5,
    both(marked(0), { sources: looking('logs') }),
  ],
  ['counters of the cgroup support it', counted, 'supports'],
  [
    'signs of the cgroup do not show that it was the runner',
    { pod: endedPod(1) },
    0.5,
    both(counted, withClues(journalFact('task-oom'))),
  ],
  ['a kill of the runner shows it without any code', withClues(RUNNER), 'names', { pod: null }],
  ['a code of the status says nothing more of memory', { pod: endedPod(137) }, 'nothing', both(counted, { pod: null })],
  ['a task OOM of the runtime supports it', withClues(journalFact('task-oom')), 'supports'],
  ['not if the victim was in another container', withClues(journalFact('task-oom')), 'nothing', IN_SIDECAR],
  [
    'a runner that reported no end supports it',
    without('job-result'),
    'supports',
    both(marked(0), { sources: looking('logs') }, withClues(RUNNER, makeResult('Canceled'))),
  ],
  [
    'a code in the journal supports it next to OOMKilled',
    withClues(journalFact('container-exit', { fields: { code: '137', name: 'runner' } })),
    'supports',
  ],
  [
    'a worker that was killed counts as the runner if memory ran out',
    withClues(WORKER_KILLED),
    'names',
    both(counted, { pod: null }),
  ],
  [
    'a worker that was killed proves nothing if memory did not run out',
    withClues(WORKER_KILLED),
    'nothing',
    { pod: null },
  ],
])

const failedStep = { job: makeJob({ steps: [makeStep({ conclusion: 'failure' })] }) }
const stepKilled = makeEvidence({ ...failedStep, pod: endedPod(0), clues: [STEP] })

describeCause('oom-step', stepKilled, [
  ['a job that succeeded lost nothing', withClues(makeResult('Succeeded')), 'refutes'],
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['a deadline has its own cause', withClues(DEADLINE), 'refutes'],
  ['GitHub that lost the runner means that more than a step died', withClues(LOST), 'refutes'],
  ['a kill of the runner alone is another cause', both(without('oom-kill'), withClues(RUNNER)), 'refutes'],
  ['a kill of the runner after that of a step is the effect of a stop', withClues(RUNNER), 'nothing'],
  [
    'a kill because the host ran out of memory is another cause',
    both(without('oom-kill'), withClues(kill('java', { constraint: 'CONSTRAINT_NONE', at: 300 }))),
    'leaves open',
  ],
  ['a container that was killed for memory is another cause', marked(137), 'refutes'],
  [
    'unless something stopped it',
    { pod: endedPod(137, { reason: 'OOMKilled' }), clues: [STOPPED] },
    'nothing',
    { pod: null, clues: [STOPPED] },
  ],
  ['OOMKilled with another code supports it', marked(0), 'supports'],
  [
    'a step that ended with 137 supports it',
    withClues(jobLogFact('step-exited', { fields: { code: '137' } })),
    'supports',
  ],
  ['a step that ended with 1 does not', withClues(jobLogFact('step-exited', { fields: { code: '1' } })), 'nothing'],
  [
    'without any sign of memory it is a guess',
    both(
      without('oom-kill'),
      withClues(jobLogFact('step-killed'), jobLogFact('step-exited', { fields: { code: '137' } })),
    ),
    0.5,
  ],
  ['without a sign that the runner survived it is a guess', { job: null }, 0.5],
  [
    'a task OOM of the runtime supports it',
    withClues({ ...journalFact('task-oom'), source: 'logs/x' }),
    'supports',
    without('oom-kill'),
  ],
  [
    'not if the victim was in another container',
    withClues({ ...journalFact('task-oom'), source: 'logs/x' }),
    'nothing',
    both(without('oom-kill'), IN_SIDECAR),
  ],
])

const KATA = { runtimeClass: 'kata' }
const emptyGuest = [makeVitals({ guestAvailableBytes: 1, guestTotalBytes: 1000 })]
const inGuest = makeEvidence({ ...WORKED, pod: endedPod(137, {}, KATA), vitals: emptyGuest })

describeCause('oom-guest', inGuest, [
  ...OTHER_ENDS,
  ...STOPS,
  ['a host that killed the virtual machine is another cause', withClues(VM), 'refutes'],
  ['a pod that is not known to be a microVM has no guest', { pod: endedPod(137) }, 0.5],
  ['a raw 9 supports it', { pod: endedPod(9, {}, KATA) }, 'nothing'],
  ['255 supports it like 137', { pod: endedPod(255, {}, KATA) }, 'nothing'],
  ['exit code 1 supports it less', { pod: endedPod(137, {}, KATA) }, 'supports', { pod: endedPod(1, {}, KATA) }],
  [
    'exit code 137 alone proves nothing',
    { pod: endedPod(137, {}, KATA) },
    'nothing',
    (e) => ({ ...e, vitals: [], pod: makePod({ ...KATA, lastSeenAt: second(900) }) }),
  ],
  [
    'kills that the guest counts support it',
    { vitals: [makeVitals({ oomKills: 1 })] },
    'names',
    (e) => ({ ...e, vitals: [] }),
  ],
])

const GLOBAL = journalFact('global-oom-kill', { about: 'node', fields: { victim: 'chrome' } })
const onHost = makeEvidence({ ...WORKED, pod: endedPod(137), clues: [logFact('job-running', { at: 61 }), GLOBAL] })

describeCause('oom-node', onHost, [
  ...OTHER_ENDS,
  ...STOPS,
  ['a kill at the limit of the container is another cause', withClues(RUNNER), 'refutes'],
  ['a kill of the runner without a limit supports it', withClues(OF_HOST), 'supports'],
  ['a kill of the virtual machine supports it', withClues(VM), 'supports'],
  ['systemd-oomd that killed this pod supports it', withClues(journalFact('oomd-killed')), 'supports'],
  [
    'a victim that is a runner supports it',
    withClues(journalFact('global-oom-kill', { about: 'node', fields: { victim: 'Runner.Listener' } })),
    'supports',
  ],
  [
    'another victim does not',
    withClues(journalFact('global-oom-kill', { about: 'node', fields: { victim: 'java' } })),
    'nothing',
  ],
  ['a runner that was not killed is not a victim', { pod: endedPod(1) }, 0.5],
  ['a runner that was lost is one', { pod: endedPod(255) }, 'names', { pod: endedPod(1) }],
  ['a proven kill needs no code', withClues(VM), 'names', both(without('global-oom-kill'), { pod: endedPod(1) })],
  [
    'a code supports it next to a host that ran out',
    { pod: endedPod(137) },
    'supports',
    both(withClues(VM), { pod: endedPod(1) }),
  ],
  [
    'a code proves nothing without it',
    { pod: endedPod(137) },
    'nothing',
    both(without('global-oom-kill'), { pod: endedPod(1) }),
  ],
])
