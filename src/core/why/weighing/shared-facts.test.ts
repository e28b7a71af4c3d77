import { describe, expect, it } from 'vitest'

import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import {
  concluded,
  forcedRemovals,
  hasSucceeded,
  loggedStopSigns,
  limitedByLife,
  limitedByWork,
  reapings,
  refutedByStop,
  sigkills,
  workDone,
} from './shared-facts.ts'
import {
  SUBJECT,
  annotationFact,
  makeAudit,
  endedPod,
  eventFact,
  makeEvidence,
  makeJob,
  journalFact,
  logFact,
  makeLog,
  makePod,
  second,
  makeStep,
} from '#test/why/evidence.ts'

const dossier = (changes: Partial<Evidence>) => openDossier(makeEvidence(changes))
const names = (facts: readonly Fact[]) => facts.map(({ is }) => is)
const result = (text: string, at: number | null = 500) => logFact('job-result', { at, fields: { result: text } })
const stopped = (at: number | null) => logFact('runner-stop-requested', { at })
type Row = readonly [what: string, changes: Partial<Evidence>, expected: boolean]

describe('work that was done', () => {
  it.each([
    ['by the result in the runner log', { clues: [result('Succeeded')] }, true],
    ['with issues', { clues: [result('SucceededWithIssues')] }, true],
    ['by a failure of its own', { clues: [result('Failed')] }, true],
    ['not by a failure after a stop', { clues: [result('Failed'), stopped(501)] }, false],
    ['by a failure well before a stop', { clues: [result('Failed'), stopped(501.1)] }, true],
    ['by a failure next to a stop without a time', { clues: [result('Failed'), stopped(null)] }, true],
    ['by a failure without a time next to a stop', { clues: [result('Failed', null), stopped(400)] }, true],
    [
      'by a failure next to a stop in another source',
      { clues: [result('Failed'), annotationFact('shutdown-annotated', { at: 400 })] },
      true,
    ],
    ['not if it was abandoned', { clues: [result('Abandoned')] }, false],
    ['by the conclusion at GitHub', { job: makeJob({ conclusion: 'success' }) }, true],
    ['as neutral', { job: makeJob({ conclusion: 'neutral' }) }, true],
    ['not while it is open at GitHub', { job: makeJob({ status: 'in_progress', conclusion: 'success' }) }, false],
    ['not by a failure at GitHub', { job: makeJob() }, false],
  ] satisfies readonly Row[])('%s', (_what, changes, isDone) => {
    expect(workDone(dossier(changes)).length > 0).toBe(isDone)
  })

  it('counts as success only if it succeeded', () => {
    expect(
      names(hasSucceeded(dossier({ clues: [result('Succeeded')], job: makeJob({ conclusion: 'success' }) }))),
    ).toEqual(['job-result', 'job-completed'])
    expect(hasSucceeded(dossier({ clues: [result('Failed')] }))).toEqual([])
    expect(names(hasSucceeded(dossier({ job: makeJob({ conclusion: 'neutral' }) })))).toEqual(['job-completed'])
    expect(hasSucceeded(dossier({ pod: endedPod(137), job: makeJob({ completedAt: second(500) }) }))).toEqual([])
  })
})

describe('a job that GitHub had closed before anything happened to the pod', () => {
  const closed = makeJob({ completedAt: second(500) })
  const stop = eventFact('kubelet-stops-container', { at: 521, fields: { container: 'runner' } })

  it.each([
    ['was over before the end', { job: closed, pod: endedPod(137, { finishedAt: second(521) }) }, true],
    [
      'was not over before an end at about that time',
      { job: closed, pod: endedPod(137, { finishedAt: second(520) }) },
      false,
    ],
    ['was over before a stop', { job: closed, pod: endedPod(137), clues: [stop] }, true],
    [
      'was not over before an earlier stop',
      { job: closed, pod: endedPod(137), clues: [{ ...stop, at: second(519) }] },
      false,
    ],
    [
      'was not over before an earlier delete',
      { job: closed, pod: endedPod(137), auditLog: [makeAudit({ at: 510, graceSeconds: 30 })] },
      false,
    ],
    [
      'was closed without the runner if GitHub lost it',
      { job: closed, pod: endedPod(137), clues: [annotationFact('lost-communication')] },
      false,
    ],
    [
      'was closed without the runner if a step never ended',
      { job: { ...closed, steps: [makeStep({ status: 'in_progress', conclusion: null })] }, pod: endedPod(137) },
      false,
    ],
    ['is not known to be over if nothing has a time', { job: closed }, false],
    [
      'is not known to be over without its own time',
      { job: { ...closed, completedAt: null }, pod: endedPod(137) },
      false,
    ],
    ['is not over while it runs', { job: { ...closed, status: 'in_progress' }, pod: endedPod(137) }, false],
  ] satisfies readonly Row[])('%s', (_what, changes, isOver) => {
    expect(names(workDone(dossier(changes)))).toEqual(isOver ? ['job-completed'] : [])
  })
})

describe('a conclusion', () => {
  it('counts if GitHub shows the job as completed', () => {
    expect(concluded(dossier({ job: makeJob() }), 'success', 'failure')).toHaveLength(1)
    expect(concluded(dossier({ job: makeJob() }), 'success')).toEqual([])
    expect(concluded(dossier({ job: makeJob({ status: 'in_progress' }) }), 'failure')).toEqual([])
    expect(concluded(dossier({}), '')).toEqual([])
  })
})

describe('a removal', () => {
  const forced = makeAudit({ at: 590, graceSeconds: 0 })

  it('by force counts if the runner was alive and no source saw a graceful delete', () => {
    const manners = (changes: Partial<Evidence>) =>
      forcedRemovals(dossier({ pod: endedPod(137), ...changes })).map(({ manner }) => manner)
    expect(manners({ auditLog: [forced] })).toEqual(['forced'])
    expect(manners({ auditLog: [forced, makeAudit({ at: 590, graceSeconds: 30 })] })).toEqual([])
    expect(
      manners({ auditLog: [forced], pod: endedPod(137, {}, { deletedAt: second(601), graceSeconds: 1 }) }),
    ).toEqual(['forced'])
    expect(manners({ auditLog: [{ ...forced, at: second(700) }] })).toEqual([])
    expect(manners({ auditLog: [makeAudit({ at: 590, graceSeconds: 30 })] })).toEqual([])
  })

  it('after the end is clean-up', () => {
    expect(reapings(dossier({ pod: endedPod(0), auditLog: [makeAudit({ at: 700 })] }))).toHaveLength(1)
    expect(reapings(dossier({ pod: endedPod(0), auditLog: [makeAudit()] }))).toEqual([])
  })

  it.each([
    ['the end has a time', { pod: endedPod(143) }, true],
    [
      'the kubelet stopped it',
      { clues: [eventFact('kubelet-stops-container', { fields: { container: 'runner' } })] },
      true,
    ],
    ['there is a log without a time', { log: makeLog({ lastAt: null }) }, true],
    ['nothing shows it', {}, false],
  ] satisfies readonly Row[])('is that of a live runner when %s: %s', (_what, changes, isKnown) => {
    expect(limitedByLife(dossier(changes))).toHaveLength(isKnown ? 0 : 1)
  })
})

describe('SIGKILL', () => {
  it.each([
    ['by the status', { pod: endedPod(137) }, 1],
    ['not by a status that was lost', { pod: endedPod(137, { reason: 'ContainerStatusUnknown' }) }, 0],
    ['by the journal', { clues: [journalFact('container-exit', { fields: { code: '137', name: 'runner' } })] }, 1],
    ['by the line of run-helper.sh', { clues: [logFact('runner-process-killed', { fields: { code: '137' } })] }, 1],
    ['by the line of the shell', { clues: [logFact('runner-process-killed', { fields: { signal: 'Killed' } })] }, 1],
    [
      'not by another signal',
      { clues: [logFact('runner-process-killed', { fields: { signal: 'Aborted', code: '134' } })] },
      0,
    ],
    ['by the worker', { clues: [logFact('worker-crashed', { fields: { code: '137' } })] }, 1],
    ['not by another code of the worker', { clues: [logFact('worker-crashed', { fields: { code: '134' } })] }, 0],
  ] satisfies readonly (readonly [string, Partial<Evidence>, number])[])('%s', (_what, changes, count) => {
    expect(sigkills(dossier(changes))).toHaveLength(count)
  })
})

describe('a stop', () => {
  it('in the log is not the same as one from an exit code', () => {
    const exit = journalFact('container-exit', { fields: { code: '143', name: 'runner' } })
    expect(names(loggedStopSigns(dossier({ pod: endedPod(143), clues: [exit, stopped(590)] })))).toEqual([
      'runner-stop-requested',
    ])
  })

  it.each([
    ['a delete before an end with a time', { pod: endedPod(137), auditLog: [makeAudit()] }, true],
    [
      'a delete by force before an end with a time',
      { pod: endedPod(137), auditLog: [makeAudit({ graceSeconds: 0 })] },
      true,
    ],
    ['not a delete if only the log gives the time', { pod: makePod(), log: makeLog(), auditLog: [makeAudit()] }, false],
    ['not a delete if no time is known', { pod: makePod(), auditLog: [makeAudit()] }, false],
    [
      'a stop by the kubelet at any time',
      { clues: [eventFact('kubelet-stops-container', { fields: { container: 'runner' } })] },
      true,
    ],
  ] satisfies readonly Row[])('from outside is %s', (_what, changes, isRefuted) => {
    expect(refutedByStop(dossier(changes)).length > 0).toBe(isRefuted)
  })
})

describe('a runner that worked', () => {
  const idle = { clues: [logFact('runner-listening')], log: makeLog() }
  const nobody = { subject: { ...SUBJECT, jobId: null } }

  it.each([
    ['is known by its job', { job: makeJob() }, []],
    ['is known by its result', { clues: [result('Canceled')] }, []],
    ['is not known', {}, ['limit']],
    ['is not known if the question names no job', nobody, ['limit']],
    ['is refuted by a log without a job', { ...idle, ...nobody }, ['against']],
    ['is not refuted if the question names a job that could not be read', idle, ['limit']],
    ['is refuted if another runner had that job', { ...idle, job: makeJob({ runner: 'linux-x2' }) }, ['against']],
  ] satisfies readonly (readonly [string, Partial<Evidence>, readonly string[]])[])('%s', (_what, changes, kinds) => {
    expect(limitedByWork(dossier(changes)).map(({ kind }) => kind)).toEqual(kinds)
  })
})
