import { describe, expect, it } from 'vitest'
import { CAUSES } from '#/causes/index.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { judge } from '#/core/why/verdict.ts'
import {
  controllerFact,
  endedPod,
  eventFact,
  makeEvent,
  makeEvidence,
  makeLog,
  makePod,
  logFact,
  second,
} from '#test/why/evidence.ts'
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

describe('a pod that was refused', () => {
  const refused = (evidence: Partial<Evidence>) => judge(openDossier(makeEvidence(evidence)), CAUSES).verdict
  const denied = controllerFact('pod-refused', { fields: { webhook: 'validate.kyverno.svc-fail' } })

  it('names the webhook that refused it', () => {
    const { cause, sentence, next } = refused({ clues: [denied] })
    expect(cause).toBe('start-failed')
    expect(sentence).toContain('never started: the admission webhook validate.kyverno.svc-fail refused the pod.')
    expect(next[0]).toContain('or the rule that refused it')
  })

  it("gives the API server's own words without the escapes of a log", () => {
    const why = String.raw`violates PodSecurity \"restricted:latest\": privileged`
    const { sentence } = refused({ clues: [controllerFact('pod-refused', { fields: { why } })] })
    expect(sentence).toContain('never started: violates PodSecurity "restricted:latest": privileged.')
  })

  it('names the rule, if only the policy reports it', () => {
    const { cause, sentence } = refused({ clues: [eventFact('pod-refused', { fields: { rule: 'verify-sbom' } })] })
    expect([cause, sentence]).toEqual(['start-failed', expect.stringContaining('the rule verify-sbom of a policy')])
  })

  it('was made in the end, if it exists: an earlier refusal explains nothing', () => {
    expect(refused({ clues: [denied], pod: makePod({ phase: 'Pending', containers: [] }) }).cause).toBe('unknown')
  })
})

describe('a command that the kernel refused', () => {
  const line = logFact('exec-refused', {
    at: 11,
    text: 'exec /usr/bin/dumb-init: exec format error',
    fields: { command: '/usr/bin/dumb-init', why: 'exec format error' },
  })
  const started = eventFact('container-started', { at: 10, fields: { container: 'runner' } })
  const exec = (evidence: Partial<Evidence>, ...clues: Evidence['clues']) =>
    judge(
      openDossier(
        makeEvidence({ log: makeLog({ lines: 1, isFromStart: false }), ...evidence, clues: [started, line, ...clues] }),
      ),
      CAUSES,
    ).verdict

  it('is a bad command, whatever the exit code', () => {
    const pod = endedPod(255, { finishedAt: second(11) })
    const { cause, sentence, next } = exec({ pod })
    expect(cause).toBe('start-failed')
    expect(sentence).toContain('/usr/bin/dumb-init could not be executed: exec format error.')
    expect(next[0]).toContain('kubernetes.io/arch')
  })

  it('is one without the pod too, if its log is no longer than that', () => {
    expect(exec({}).cause).toBe('start-failed')
    expect(exec({ log: makeLog({ lines: 60, isFromStart: false }) }).cause).not.toBe('start-failed')
  })

  it('is what a step printed, if the container ran for minutes or took a job', () => {
    expect(exec({ pod: endedPod(255) }).cause).not.toBe('start-failed')
    expect(exec({ pod: endedPod(255, { finishedAt: second(11) }) }, logFact('job-running')).cause).not.toBe(
      'start-failed',
    )
  })

  it('asks for the command, if that is what is missing', () => {
    const missing = {
      ...line,
      text: 'exec /run.sh: no such file or directory',
      fields: { command: '/run.sh', why: 'no such file or directory' },
    }
    const pod = endedPod(1, { finishedAt: second(11) })
    const { next } = judge(
      openDossier(makeEvidence({ pod, log: makeLog({ lines: 1 }), clues: [missing] })),
      CAUSES,
    ).verdict
    expect(next[0]).toContain('check command, args and the image tag')
  })
})
