import { annotationFact, blindTo, makeEvidence, makeJob, logFact, looking } from '#test/why/evidence.ts'
import { LOST, SUCCEEDED, WORKED, both, describeCause, makeResult, withClues, without } from '#test/why/weighing.ts'

const CANCELLED = logFact('cancellation-received', { at: 590 })
const CONCURRENCY = annotationFact('cancelled-by-concurrency')
const cancelled = makeEvidence({
  ...WORKED,
  job: makeJob({ conclusion: 'cancelled' }),
  clues: [logFact('job-running', { at: 61 }), CANCELLED],
  sources: looking('github/annotations'),
})
const byConcurrency = both(without('cancellation-received'), withClues(CONCURRENCY))

describeCause('job-cancelled', cancelled, [
  ['a time limit has its own cause', withClues(annotationFact('job-time-limit')), 'refutes'],
  ['a job that succeeded was not cancelled', SUCCEEDED, 'refutes'],
  ['a job that timed out was not cancelled', { job: makeJob({ conclusion: 'timed_out' }) }, 'refutes'],
  [
    'a shutdown annotation means that the shutdown came first',
    withClues(annotationFact('shutdown-annotated')),
    'refutes',
  ],
  ['a stop before the cancel came first', withClues(logFact('runner-stop-requested', { at: 580 })), 'refutes'],
  ['a stop after the cancel is its effect', withClues(logFact('runner-stop-requested', { at: 595 })), 'nothing'],
  [
    'a stop without a time does not count as earlier',
    withClues(logFact('runner-stop-requested', { at: null })),
    'nothing',
  ],
  ['an interrupted step before the cancel proves nothing', withClues(logFact('interrupted', { at: 580 })), 'nothing'],
  [
    'a stop without any cancel came first',
    withClues(logFact('runner-stop-requested', { at: 580 })),
    'refutes',
    byConcurrency,
  ],
  [
    'a job that was gone before it ran was never here',
    withClues(logFact('job-gone')),
    'refutes',
    without('job-running'),
  ],
  ['a job that ran and was gone afterwards was here', withClues(logFact('job-gone')), 'nothing'],
  [
    'a job that was abandoned without a cancel was not cancelled',
    withClues(makeResult('Abandoned')),
    'refutes',
    byConcurrency,
  ],
  ['a job that was abandoned after the cancel was', withClues(makeResult('Abandoned')), 'nothing'],
  ['a result Canceled in the runner log supports it', withClues(makeResult('Canceled')), 'supports', byConcurrency],
  ['a result Failed in the runner log leaves it unchanged', withClues(makeResult('Failed')), 'nothing', byConcurrency],
  ['without annotations, a time limit may have run out', { sources: blindTo('github/annotations') }, 0.5],
  [
    'without annotations, a newer run of its group is enough',
    withClues(CONCURRENCY),
    'names',
    { sources: blindTo('github/annotations') },
  ],
  ['without the runner log, it is not known who ended it', without('cancellation-received'), 0.5],
  ['a newer run of its group is known to have', withClues(CONCURRENCY), 'names', without('cancellation-received')],
  [
    'a job of another runner is not this one',
    both(without('job-running'), { job: makeJob({ conclusion: 'cancelled', runner: 'linux-x2' }) }),
    0.5,
  ],
  ['GitHub that lost the runner did not just cancel it', withClues(LOST), 0.4],
])
