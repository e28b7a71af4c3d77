import { END, endedPod, makeEvidence, journalFact, logFact, looking } from '#test/why/evidence.ts'
import {
  DEADLINE,
  DELETED,
  EVICTED,
  FORCED,
  IDLE,
  REAPED,
  STOPPED,
  SUCCEEDED,
  WORKED,
  WORK_UNKNOWN,
  describeCause,
  withClues,
} from '#test/why/weighing.ts'

const ofNode = (is: string, changes: Parameters<typeof journalFact>[1] = {}) =>
  journalFact(is, { about: 'node', ...changes })
const SEGFAULT = ofNode('segfault', { fields: { victim: 'Runner.Listener' } })
const KILL = (victim: string) =>
  journalFact('oom-kill', { at: 300, fields: { victim, constraint: 'CONSTRAINT_MEMCG' } })
const crashed = makeEvidence({ ...WORKED, pod: endedPod(139), sources: looking('logs', 'journal') })
const folded = (fields: Record<string, string>) => ({
  pod: endedPod(0),
  clues: [logFact('runner-process-killed', { fields })],
})

describeCause('process-crash', crashed, [
  ['a stop by the kubelet came from outside', withClues(STOPPED), 'refutes'],
  ['a delete before the end came from outside', DELETED, 'refutes'],
  ['a forced delete came from outside', FORCED, 'refutes'],
  ['a job that ended as success did not end by this', SUCCEEDED, 'refutes'],
  ['an eviction has its own cause', withClues(EVICTED), 'refutes'],
  ['a deadline has its own cause', withClues(DEADLINE), 'refutes'],
  ['a later delete is clean-up', REAPED, 'doubts'],
  ['a runner that is not known to have had a job is a guess', WORK_UNKNOWN, 0.5],
  ['a runner that had no job lost none', IDLE, 'refutes'],
  ['a disk without space has its own cause', withClues(logFact('no-space-left')), 'refutes'],
  ['a runner that the kernel killed did not crash', withClues(KILL('Runner.Worker')), 'refutes'],
  ['a step that the kernel killed proves nothing', withClues(KILL('java')), 'nothing'],
  ['a line of the kernel supports it', withClues(SEGFAULT), 'supports'],
  ['a line about another process does not', withClues(ofNode('segfault', { fields: { victim: 'node' } })), 'nothing'],
  [
    'a line at another time does not',
    withClues(ofNode('segfault', { at: END - 4, fields: { victim: 'Runner.Listener' } })),
    'nothing',
  ],
  ['a line of the kernel alone is a weak guess', { pod: endedPod(1) }, 0.45, withClues(SEGFAULT)],
  ['a crash that run-helper.sh turned into 0 is one', folded({ code: '139' }), 'names', { pod: endedPod(0) }],
  ['an abort in the shell output counts', folded({ signal: 'Aborted' }), 'names', { pod: endedPod(0) }],
  ['a kill that run-helper.sh turned into 0 is not', folded({ code: '137' }), 'nothing', { pod: endedPod(0) }],
  [
    'a worker that crashed is one',
    withClues(logFact('worker-crashed', { fields: { code: '134' } })),
    'names',
    { pod: endedPod(1) },
  ],
  [
    'a worker that was killed is not',
    withClues(logFact('worker-crashed', { fields: { code: '137' } })),
    'nothing',
    { pod: endedPod(1) },
  ],
  ['without the log it is a guess', (e) => ({ ...e, sources: looking('journal') }), 0.5],
  [
    'a line of the kernel is as good as the log',
    withClues(SEGFAULT),
    'names',
    (e) => ({ ...e, sources: looking('journal') }),
  ],
  [
    'a crash for lack of memory is a guess if no source covers the time',
    (e) => ({ ...e, sources: looking('logs') }),
    0.5,
    withClues(logFact('dotnet-out-of-memory')),
  ],
  [
    'a crash for lack of memory is named if the journal covers the time',
    withClues(logFact('dotnet-out-of-memory')),
    'nothing',
  ],
  ['a missing source does not matter to one that was not', (e) => ({ ...e, sources: looking('logs') }), 'nothing'],
])
