import { describe, expect, it } from 'vitest'
import { CAUSES } from '#/causes/index.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { judge } from '#/core/why/verdict.ts'
import { eventFact, makeEvent, makeEvidence, logFact } from '#test/why/evidence.ts'
import { describeCause, withClues } from '#test/why/weighing.ts'

const LISTENING = logFact('runner-listening', { at: 20 })
const SCHEDULED = {
  events: [makeEvent({ reason: 'Scheduled', message: 'Successfully assigned ci/linux-x1 to n1', host: null })],
}
const record = (message: string, reason: string | null = null): Partial<Evidence> => ({
  ephemeralRunner: { phase: 'Failed', reason, message, job: null, failures: 1 },
})

describeCause('quota-exceeded', makeEvidence({ clues: [eventFact('quota-exceeded')] }), [
  ['a runner that listened was made', withClues(LISTENING), 'refutes'],
  ['a pod that was given to a node was made', SCHEDULED, 'refutes'],
  ["ARC's record of a quota supports it", record('pods "x" is forbidden: exceeded quota: ci'), 'supports'],
  [
    "ARC's record of a quota that asks for limits supports it",
    record('failed quota: ci: must specify limits.cpu'),
    'supports',
  ],
  ["ARC's record of something else does not", record('forbidden'), 'nothing'],
])

describe('a quota without usage yet', () => {
  const said = (why: object) => {
    const clues = [eventFact('quota-exceeded', { fields: { quota: 'ci', ...why } })]
    return judge(openDossier(makeEvidence({ clues })), CAUSES)
  }

  it('refuses pods, and is not used up', () => {
    const { sentence, next } = said({ why: 'status unknown' }).verdict
    expect(sentence).toContain('quota ci refused it because its usage was not counted yet.')
    expect(next[0]).toContain('Its owner retries')
  })

  it('is distinguished from one that is smaller than one pod, which names the owner', () => {
    const text =
      'FailedCreate: Error creating: pods "x" is forbidden: exceeded quota: ci, requested: cpu=1,pods=1, used: cpu=0,pods=0, limited: cpu=100m,pods=4'
    const clues = [eventFact('quota-exceeded', { text, fields: { quota: 'ci' } })]
    const events = [makeEvent({ reason: 'FailedCreate', kind: 'Job', name: 'nightly' })]
    const { sentence, next } = judge(openDossier(makeEvidence({ clues, events })), CAUSES).verdict
    expect(sentence).toContain(
      'of Job nightly could not be created: it alone requests cpu=1, and the whole quota ci is 100m.',
    )
    expect(next[0]).toContain('lower the requests of the pod template')
  })

  it('is distinguished from one that is used up', () => {
    const { sentence, next } = said({}).verdict
    expect(sentence).toContain('quota ci was used up.')
    expect(next[0]).toContain('Compare used and hard of the quota ci')
  })
})

describeCause('start-failed', makeEvidence({ clues: [eventFact('pod-refused')] }), [
  ['a runner that listened had started', withClues(LISTENING), 'refutes'],
  ['ARC says that the pod was invalid', record('forbidden', 'InvalidPod'), 'supports'],
  [
    'one that ran a job was made, whatever was refused before',
    withClues(logFact('job-running', { at: 61 })),
    'refutes',
  ],
  ['ARC says that something else failed', record('forbidden'), 'nothing'],
  ['a quota has a cause of its own', record('exceeded quota: ci', 'InvalidPod'), 'nothing'],
])
