import { describe, expect, it } from 'vitest'

import { openDossier } from '#/core/why/dossier.ts'
import { distrusted } from '#/core/why/failed-steps.ts'
import { jobLogFact, logFact, makeEvidence, makeJob, makeStep, second } from '#test/why/evidence.ts'

const line = (at: number | null) => jobLogFact('certificate-not-trusted', { at })
const steps = [
  makeStep({ number: 1, startedAt: second(70), completedAt: second(100) }),
  makeStep({ number: 2, conclusion: 'failure', startedAt: second(100), completedAt: second(200) }),
]

describe('what a failed step printed', () => {
  it.each([
    ['counts while it ran', line(150), steps, 1],
    ['counts at its end', line(202), steps, 1],
    ['does not count if a step that succeeded printed it', line(80), steps, 0],
    ['counts without a time', line(null), steps, 1],
    ['counts if no step is known to have failed', line(80), [], 1],
    [
      'counts in the log of the runner, whose clock is another',
      logFact('certificate-not-trusted', { at: 80 }),
      steps,
      1,
    ],
  ])('%s', (_what, clue, known, count) => {
    expect(distrusted(openDossier(makeEvidence({ clues: [clue], job: makeJob({ steps: known }) })))).toHaveLength(count)
  })
})
