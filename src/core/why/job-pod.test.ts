import { expect, it } from 'vitest'
import { isJobPod, refusedJobPods } from './job-pod.ts'
import { logFact, makeEvidence, makePod } from '#test/why/evidence.ts'

it.each([
  ['has the label of its runner', { pod: { ...makePod(), labels: { 'runner-pod': 'linux-1' } } }, true],
  ['is not the runner', { pod: makePod() }, false],
  ['is known by its name where the object is gone', { pod: null, name: 'linux-1-workflow' }, true],
  ['is known by its name for a container step', { pod: null, name: 'linux-1-step-4f2a' }, true],
  ['is not a runner with a longer name', { pod: null, name: 'linux-10' }, false],
])(
  'a pod of a job %s',
  (_what, { pod, name = 'linux-1' }: { pod: ReturnType<typeof makePod> | null; name?: string }, is) => {
    const evidence = makeEvidence({ pod })
    expect(isJobPod({ pod, subject: { ...evidence.subject, pod: name, runner: 'linux-1' } })).toBe(is)
  },
)

it('a refusal by the quota counts only for a pod of this job', () => {
  const refusal = (pod: string) => logFact('quota-exceeded', { fields: { pod } })
  const evidence = makeEvidence({})
  const subject = { ...evidence.subject, pod: 'linux-1' }
  const own = refusal('linux-1-workflow')
  expect(refusedJobPods({ clues: [own, refusal('preview-7'), refusal('linux-10-workflow')], subject })).toEqual([own])
  expect(refusedJobPods({ clues: [own], subject: { ...subject, pod: null } })).toEqual([])
})
