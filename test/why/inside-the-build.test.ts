import { jobLogFact, makeEvidence, makeJob, makeStep, second } from '#test/why/evidence.ts'
import { LOST, SUCCEEDED, describeCause, withClues, without } from '#test/why/weighing.ts'

const failed = (conclusion: string) => ({ job: makeJob({ conclusion, steps: [makeStep({ conclusion: 'failure' })] }) })

describeCause('tls-trust', makeEvidence({ clues: [jobLogFact('certificate-not-trusted', { at: 300 })] }), [
  [
    'a step that succeeded may have printed it',
    {
      job: makeJob({
        steps: [makeStep({ number: 3, conclusion: 'failure', startedAt: second(510), completedAt: second(550) })],
      }),
    },
    'refutes',
  ],
  ['a job that succeeded did not need it', SUCCEEDED, 'refutes'],
  ['GitHub that lost the runner had other reasons', withClues(LOST), 'refutes'],
  ['a step that failed supports it', failed('failure'), 'supports'],
  ['a step that failed alone proves nothing', failed('failure'), 'nothing', without('certificate-not-trusted')],
])

describeCause('workspace-unclean', makeEvidence({ clues: [jobLogFact('work-folder-denied')] }), [
  ['a job that succeeded was not stopped', SUCCEEDED, 'refutes'],
  ['GitHub that lost the runner had other reasons', withClues(LOST), 'refutes'],
])
