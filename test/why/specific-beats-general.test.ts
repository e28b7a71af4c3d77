import { describe, expect, it } from 'vitest'

import { CAUSES } from '#/causes/index.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { judge } from '#/core/why/verdict.ts'
import {
  END,
  SIDECAR_ID,
  annotationFact,
  ended,
  endedPod,
  eventFact,
  jobLogFact,
  journalFact,
  logFact,
  looking,
  makeContainer,
  makeEvidence,
  makeJob,
  makeLog,
  makePod,
  makeStep,
  second,
} from '#test/why/evidence.ts'

const SOURCES = looking(
  'kubernetes/pods',
  'kubernetes/events',
  'journal',
  'logs',
  'github/jobs',
  'github/logs',
  'github/annotations',
)
const step = makeStep({ conclusion: 'failure' })
const RESULT = logFact('job-result', { at: 590, fields: { result: 'Failed' } })
const EXIT = jobLogFact('step-exited', { at: 500, fields: { code: '1' } })
const WORKING = logFact('job-running', { at: 61 })

/** A job that failed, on a runner that went on and left with 0. */
const FAILED: Partial<Evidence> = {
  pod: endedPod(0),
  log: makeLog(),
  job: makeJob({ steps: [step] }),
  sources: SOURCES,
}

const name = (evidence: Partial<Evidence>, ...clues: Evidence['clues']) => {
  const { verdict } = judge(
    openDossier(makeEvidence({ ...FAILED, ...evidence, clues: [WORKING, RESULT, EXIT, ...clues] })),
    CAUSES,
  )
  return verdict
}

describe('a job that failed', () => {
  it('failed by itself, if nothing else is known', () => {
    expect(name({}).cause).toBe('job-failed')
  })

  it('was ended by a daemon beside the runner that the kubelet stopped for its probe', () => {
    const dind = makeContainer({
      name: 'dind',
      role: 'init',
      isSidecar: true,
      restarts: 1,
      state: ended(0, { finishedAt: second(601) }),
      last: ended(0, { finishedAt: second(480), id: SIDECAR_ID }),
    })
    const pod = makePod({ phase: 'Succeeded', containers: [dind, makeContainer({ state: ended(0) })] })
    const probe = eventFact('probe-failed', {
      at: 470,
      text: 'Killing: Init container dind failed liveness probe',
      fields: { container: 'dind' },
    })
    const asked = logFact('daemon-stopped', { at: 471, source: 'logs/ci/linux-x1/dind' })
    const verdict = name({ pod }, probe, asked)
    expect([verdict.cause, verdict.actor]).toEqual(['graceful-shutdown', 'kubelet'])
    expect(verdict.sentence).toContain('The dind container of pod ci/linux-x1')
    expect(verdict.next[0]).toContain('probe')
    expect(name({ pod }).cause).toBe('unknown')
  })

  it('was ended by its worker, which crashed while the listener lived on', () => {
    expect(name({}, logFact('worker-crashed', { fields: { code: '134' } })).cause).toBe('process-crash')
    expect(name({}, logFact('worker-crashed', { fields: { code: '1' } })).cause).not.toBe('process-crash')
  })

  it('was ended by a disk, if the kernel reports errors when the job could not write', () => {
    const refused = jobLogFact('disk-refused', { at: 499 })
    const error = journalFact('filesystem-error', { at: 498, about: 'node' })
    expect(name({}, refused, error).cause).toBe('runtime-fault')
    expect(name({}, error).cause).toBe('job-failed')
    expect(name({}, refused).cause).toBe('job-failed')
    expect(name({ sources: looking('kubernetes/pods', 'logs', 'github/jobs', 'github/logs') }, refused).cause).toBe(
      'unknown',
    )
  })

  it('did not trust a certificate', () => {
    expect(name({}, jobLogFact('certificate-not-trusted', { at: 490 })).cause).toBe('tls-trust')
  })

  it('killed itself, if its script does and no memory ran out', () => {
    const killed = { ...EXIT, fields: { code: '137' } }
    const own = jobLogFact('own-kill', { at: 499 })
    const judged = (...clues: Evidence['clues']) =>
      judge(openDossier(makeEvidence({ ...FAILED, clues: [WORKING, RESULT, killed, ...clues] })), CAUSES).verdict
    expect(judged(own, jobLogFact('step-killed', { at: 499 })).cause).toBe('job-failed')
    expect(judged(own).sentence).toContain('its own script killed a step (exit code 137)')
    expect(judged().cause).toBe('unknown')
    expect(judged(own, journalFact('oom-kill', { at: 499, fields: { victim: 'java' } })).cause).toBe('oom-step')
    expect(
      judge(
        openDossier(
          makeEvidence({
            ...FAILED,
            sources: looking('kubernetes/pods', 'logs', 'github/logs'),
            clues: [WORKING, RESULT, killed, own],
          }),
        ),
        CAUSES,
      ).verdict.cause,
    ).toBe('unknown')
  })
})

describe('a runner that GitHub lost', () => {
  const LOST = annotationFact('lost-communication', { at: 1200 })
  const hanging = makeJob({
    completedAt: second(1200),
    steps: [makeStep({ conclusion: null, status: 'in_progress', completedAt: null })],
  })
  const lost = (evidence: Partial<Evidence>, ...clues: Evidence['clues']) =>
    judge(
      openDossier(
        makeEvidence({
          now: second(4000),
          job: hanging,
          sources: SOURCES,
          ...evidence,
          clues: [WORKING, LOST, ...clues],
        }),
      ),
      CAUSES,
    ).verdict.cause

  it('was starved, if it renewed late without failing, whatever it says at the end', () => {
    const late = [logFact('lock-renewed', { at: 120 }), logFact('lock-renewed', { at: 500 })]
    const abandoned = logFact('job-result', { at: 1300, fields: { result: 'Abandoned' } })
    const pod = endedPod(0, { finishedAt: second(1310) })
    const log = makeLog({ lastAt: second(1305) })
    const stall = journalFact('node-slow', { at: 800, about: 'node' })
    expect(lost({ pod, log }, ...late, abandoned, stall)).toBe('host-starvation')
    expect(lost({ pod, log }, ...late, abandoned)).toBe('unknown')
    expect(lost({ pod, log }, ...late, logFact('lock-renewal-failing', { at: 600 }), abandoned)).toBe('lock-lost')
  })

  it('was starved, if the kernel names its processes as stuck while the container still runs', () => {
    const hung = journalFact('task-hung', { at: 900, about: 'node', fields: { task: 'Runner.Listener' } })
    expect(lost({ pod: makePod() }, hung)).toBe('host-starvation')
    expect(lost({ pod: makePod() }, { ...hung, fields: { task: 'tar' } })).toBe('unknown')
  })

  it('was lost with its node, if a cloud deleted that, without any log', () => {
    const silent = eventFact('node-not-ready', { at: 600, about: 'node' })
    const deleted = eventFact('node-deleted', { at: 700, about: 'node' })
    expect(lost({ isNodeListed: false }, silent, deleted)).toBe('node-lost')
    expect(lost({ isNodeListed: true }, deleted)).toBe('unknown')
  })

  it('was lost with its virtual machine, even if the container says 0', () => {
    const pod = endedPod(0, { finishedAt: second(END) })
    expect(lost({ pod, log: makeLog() }, journalFact('vm-removed', { at: 598 }))).toBe('vm-teardown')
  })
})

describe('a job that GitHub still shows as running', () => {
  const done = makeJob({
    status: 'in_progress',
    conclusion: null,
    completedAt: null,
    steps: [makeStep({ number: 1 }), makeStep({ number: 2 })],
  })
  const open = (evidence: Partial<Evidence>, ...clues: Evidence['clues']) =>
    judge(
      openDossier(
        makeEvidence({
          now: second(4000),
          job: done,
          pod: endedPod(0),
          sources: SOURCES,
          ...evidence,
          clues: [...clues],
        }),
      ),
      CAUSES,
    ).verdict.cause

  it('was not reported, if its runner left with 0 after the last step, even without a log', () => {
    expect(open({}, journalFact('container-exit', { fields: { code: '0', name: 'runner' } }))).toBe(
      'completion-handshake-lost',
    )
    expect(open({ now: second(640) })).toBe('unknown')
    expect(open({ job: { ...done, steps: [makeStep({ conclusion: null, status: 'in_progress' })] } })).toBe('unknown')
  })

  it('was not reported, if the runner says so, although a step failed', () => {
    const failed = { ...done, steps: [makeStep({ conclusion: 'failure' })] }
    const clues = [
      WORKING,
      RESULT,
      logFact('completion-not-delivered'),
      logFact('worker-crashed', { fields: { code: '1' } }),
    ]
    expect(open({ job: failed, log: makeLog() }, ...clues)).toBe('completion-handshake-lost')
  })
})
