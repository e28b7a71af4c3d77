import { describe, expect, it } from 'vitest'
import { CAUSES } from '#/causes/index.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { judge } from '#/core/why/verdict.ts'
import {
  RECORDED_JOB,
  SUBJECT,
  annotationFact,
  controllerFact,
  endedPod,
  logFact,
  makeEvidence,
  makeJob,
  makeLog,
  makePod,
  second,
} from '#test/why/evidence.ts'
import { WORKED, describeCause, makeResult, withClues, without } from '#test/why/weighing.ts'

const record = (
  message: string | null,
  changes: Partial<NonNullable<Evidence['ephemeralRunner']>> = {},
): Partial<Evidence> => ({
  ephemeralRunner: { phase: 'Failed', reason: null, message, job: null, failures: 1, ...changes },
})

describeCause('registration-denied', makeEvidence({ clues: [logFact('not-authorized')] }), [
  ['a runner that had a job was registered', WORKED, 'refutes'],
  [
    'a spent budget is answered like that too',
    withClues(logFact('registration-rate-limited')),
    'refutes',
    withClues(logFact('registration-refused')),
  ],
  ['one whose registration was removed had one', withClues(logFact('runner-deregistered')), 'refutes'],
  ['one whose session was taken had one', withClues(logFact('session-conflict')), 'refutes'],
  ['one that is too old is refused for that', withClues(logFact('runner-version-refused')), 'refutes'],
  [
    'a controller that was refused supports it for a runner that never ran',
    withClues(controllerFact('registration-refused', { about: 'node' })),
    'supports',
    without('not-authorized'),
  ],
  [
    'a controller that was refused proves nothing about a runner that ran',
    withClues(controllerFact('registration-refused', { about: 'node' })),
    'nothing',
    (e) => ({ ...e, clues: [], pod: makePod() }),
  ],
  ["ARC's record of a refusal supports it", record('401 Unauthorized'), 'supports'],
  [
    "ARC's record of a spent budget does not, although it is forbidden",
    record('403 API rate limit exceeded'),
    'nothing',
  ],
  ["ARC's record of a quota does not", record('forbidden: exceeded quota'), 'nothing'],
  ["ARC's record of anything else does not", record('pod is gone'), 'nothing'],
])

describeCause('api-rate-limited', makeEvidence({ clues: [controllerFact('registration-rate-limited')] }), [
  ['a runner that ran got its registration', { pod: makePod() }, 'refutes'],
  ["ARC's record of a rate limit supports it", record('API rate limit exceeded'), 'supports'],
  ["ARC's record of anything else does not", record('401 Unauthorized'), 'nothing'],
  ['a budget that is spent supports it', { rateLimit: { remaining: 0, limit: 5000 } }, 'supports'],
  [
    'a container that registers itself runs before it is refused',
    { pod: makePod() },
    'nothing',
    withClues(logFact('registration-rate-limited')),
  ],
  [
    'a runner that listens was registered',
    withClues(logFact('runner-listening')),
    'refutes',
    withClues(logFact('registration-rate-limited')),
  ],
  ['a budget that is not spent does not', { rateLimit: { remaining: 1, limit: 5000 } }, 'nothing'],
  [
    'a limit that another runner hit supports it for a runner that never ran',
    withClues(controllerFact('registration-rate-limited', { about: 'node' })),
    'supports',
    without('registration-rate-limited'),
  ],
])

describeCause('runner-outdated', makeEvidence({ clues: [logFact('runner-version-refused')] }), [
  ['a runner that had a job was not refused', WORKED, 'refutes'],
  [
    'a listener that exited as deprecated supports it',
    withClues(logFact('listener-exited', { text: 'exit because of deprecated version' })),
    'supports',
    without('runner-version-refused'),
  ],
  [
    'a listener that exited otherwise does not',
    withClues(logFact('listener-exited', { text: 'exit with 0 return code' })),
    'nothing',
    without('runner-version-refused'),
  ],
  ["ARC's record of an outdated runner supports it", record(null, { phase: 'Outdated' }), 'supports'],
  ["ARC's record of a failed one does not", record(null), 'nothing'],
  ['exit code 7 supports it', { pod: endedPod(7) }, 'supports'],
  ['exit code 1 does not', { pod: endedPod(1) }, 'nothing'],
])

describeCause('session-conflict', makeEvidence({ clues: [logFact('session-conflict', { at: 100 })] }), [
  ['a runner that had a job had its session', WORKED, 'refutes'],
  [
    'a job that ARC recorded for the name may be its own',
    record(null, { phase: 'Running', job: RECORDED_JOB }),
    'refutes',
  ],
  [
    'a job that ARC recorded is not its own, if it never got the session',
    record(null, { phase: 'Running', job: RECORDED_JOB }),
    'nothing',
    withClues(logFact('session-conflict', { at: 340, fields: { seconds: '240' } })),
  ],
  [
    'a job that ARC recorded is not its own, if its listener exited for it',
    record(null, { phase: 'Running', job: RECORDED_JOB }),
    'nothing',
    withClues(logFact('listener-exited', { at: 341, fields: { code: '5' } })),
  ],
  [
    'a job in its own log is, whatever it says in the end',
    WORKED,
    'refutes',
    withClues(logFact('session-conflict', { at: 340, fields: { seconds: '240' } })),
  ],
  [
    'a job that began before the pod was that of the pod before',
    { job: makeJob({ startedAt: second(-300), runner: 'linux-x1' }) },
    'nothing',
    { pod: makePod() },
  ],
  [
    'a job that began after it may be its own',
    { job: makeJob({ startedAt: second(300), runner: 'linux-x1' }) },
    'refutes',
    { pod: makePod() },
  ],
  ['a listener that polls afterwards got it', withClues(controllerFact('listener-polls', { at: 200 })), 'refutes'],
  ['one that listened afterwards got it', withClues(logFact('runner-listening', { at: 200 })), 'refutes'],
  ['one that listened before lost it', withClues(logFact('runner-listening', { at: 50 })), 'nothing'],
  [
    'a listener that exited for it supports it',
    withClues(logFact('listener-exited', { fields: { how: 'Session Conflict error' } })),
    'supports',
    without('session-conflict'),
  ],
  [
    'a listener that exited otherwise does not',
    withClues(logFact('listener-exited', { fields: { how: '0 return code' } })),
    'nothing',
    without('session-conflict'),
  ],
])

describeCause('runner-deregistered', makeEvidence({ clues: [logFact('runner-deregistered')] }), [
  ['a runner that did its one job is removed afterwards', withClues(makeResult('Succeeded')), 'refutes'],
  ['one that ran a job took one', withClues(logFact('job-running')), 'refutes'],
  ['one that ARC scaled down lost nothing', withClues(controllerFact('arc-removes-idle')), 'refutes'],
])

describe('a session that is taken', () => {
  const taken = (subject: Evidence['subject'], ...clues: Evidence['clues']) =>
    judge(openDossier(makeEvidence({ subject, log: makeLog(), clues })), CAUSES).verdict
  const conflict = 'Runner connect error: Error: Conflict. Retrying until reconnected.'

  it('is no lost network, although the runner prints a connect error', () => {
    const { cause } = taken(
      SUBJECT,
      logFact('session-conflict', { at: 100, text: conflict }),
      logFact('github-unreachable', { at: 100, text: conflict }),
      annotationFact('lost-communication'),
    )
    expect(cause).toBe('session-conflict')
  })

  it('of a listener is held by another listener of the set', () => {
    const listener = { ...SUBJECT, pod: 'linux-8g-754b578d-listener', runner: null, jobId: null }
    const { cause, sentence, next } = taken(listener, logFact('session-conflict', { at: 100 }))
    expect(cause).toBe('session-conflict')
    expect(sentence).toContain('another listener holds the session of its scale set')
    expect(next[0]).toContain('another cluster')
  })
})
