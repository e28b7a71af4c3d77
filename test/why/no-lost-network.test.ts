import { describe, expect, it } from 'vitest'
import { CAUSES } from '#/causes/index.ts'
import { clueFinder } from '#/core/evidence/find-clues.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import { readLog } from '#/core/why/line-facts.ts'
import { judge } from '#/core/why/verdict.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import {
  LOG,
  annotationFact,
  endedPod,
  eventFact,
  journalFact,
  logFact,
  looking,
  makeEvidence,
  makeLog,
  makePod,
  makeVitals,
  second,
} from '#test/why/evidence.ts'

const find = clueFinder(SIGNATURES)
const LOST = annotationFact('lost-communication', { at: 1200 })
const WORKING = logFact('job-running', { at: 61 })

/** The clues in a runner log that has a connect error with these words. */
function cut(...lines: readonly string[]): readonly Fact[] {
  const text = lines.map((line) => `2026-06-06T21:08:20Z ${line}`).join('\n')
  return readLog(text, { source: LOG, stream: 'runner-log', find }).clues
}

const connectError = (why: string) => `2026-06-06 21:08:20Z: Runner connect error: ${why}. Retrying until reconnected.`
const name = (evidence: Partial<Evidence>) =>
  judge(openDossier(makeEvidence({ log: makeLog(), now: second(4000), ...evidence })), CAUSES).verdict.cause

describe('a connect error of the runner', () => {
  it('is a lost network, if that is what it says', () => {
    expect(
      name({ clues: cut(connectError('Name or service not known (broker.actions.githubusercontent.com:443)')) }),
    ).toBe('network-fault')
  })

  it.each([
    ['session-conflict', 'Error: Conflict'],
    ['session-conflict', 'The actions runner linux-x1 already has an active session.'],
    ['registration-denied', 'You are not authorized to access https://broker.actions.githubusercontent.com.'],
    ['runner-deregistered', 'Registration was not found or is not medium trust. ClientType: '],
    ['runner-outdated', 'Runner version v2.320.0 is deprecated and cannot receive messages.'],
    ['fd-exhausted', 'Too many open files (broker.actions.githubusercontent.com:443)'],
    ['disk-full', 'No space left on device : /home/runner/_diag/Runner.log'],
  ])('is %s, if it says "%s", even if GitHub lost the runner', (cause, why) => {
    expect(name({ clues: cut(connectError(why)) })).toBe(cause)
    expect(name({ clues: [...cut(connectError(why)), LOST] })).toBe(cause)
  })

  it.each(['Error: TooManyRequests', 'Error: BadRequest'])('names no cause where GitHub answered "%s"', (why) => {
    expect(name({ clues: [...cut(connectError(why)), LOST] })).toBe('unknown')
  })

  it('is a starved runner, if it timed out while the runner itself was short of CPU', () => {
    const late = [logFact('lock-renewed', { at: 100 }), logFact('lock-renewed', { at: 300 })]
    const stall = journalFact('soft-lockup', { at: 500, about: 'node' })
    const clues = [WORKING, ...late, ...cut(connectError('The HTTP request timed out after 00:01:00.')), stall, LOST]
    const vitals = [makeVitals({ cpuPressure: 90 })]
    expect(name({ clues, vitals, pod: makePod() })).toBe('host-starvation')
    expect(name({ clues, pod: makePod() })).toBe('network-fault')
  })

  it.each([
    [
      'process-crash',
      journalFact('segfault', { at: 599, about: 'node', fields: { victim: 'Runner.Worker' } }),
      endedPod(139),
    ],
    ['oom-container', eventFact('kubelet-backs-off', { at: 700 }), endedPod(137, { reason: 'OOMKilled' })],
  ])('before the end does not hide %s', (cause, clue, pod) => {
    const clues = [WORKING, ...cut(connectError('Connection refused (10.0.0.1:3128)')), clue, LOST]
    expect(name({ clues, pod, sources: looking('logs', 'journal', 'kubernetes/pods') })).toBe(cause)
  })
})
