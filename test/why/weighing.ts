import { describe, expect, it } from 'vitest'

import { CAUSES } from '#/causes/index.ts'
import { NAMED_ABOVE, computeConfidence } from '#/core/why/cause.ts'
import type { Point } from '#/core/why/cause.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { sourceGroup } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import {
  SUBJECT,
  annotationFact,
  makeAudit,
  eventFact,
  makeJob,
  logFact,
  makeLog,
  withMore,
} from '#test/why/evidence.ts'

/** More evidence, or another one made of it. */
export type Change = Partial<Evidence> | ((evidence: Evidence) => Evidence)

/**
 * What a change of the evidence does to a cause. `names`: it is named afterwards. `nothing`: neither more nor less.
 * `doubts`: only shown to the reader. `leaves open`: it falls to a guess and stays one. A number: it cannot be above that
 * any more, and was before.
 */
export type Effect = 'refutes' | 'supports' | 'names' | 'nothing' | 'doubts' | 'leaves open' | number

export type Row = readonly [what: string, change: Change, effect: Effect, given?: Change]

const changed = (evidence: Evidence, change: Change): Evidence =>
  typeof change === 'function' ? change(evidence) : withMore(evidence, change)

function weigh(id: string, evidence: Evidence): { readonly points: readonly Point[]; readonly confidence: number } {
  const cause = CAUSES.find((one) => one.id === id)
  if (cause === undefined) throw new Error(`there is no cause ${id}`)
  const points = cause.weigh(openDossier(evidence))
  return { points, confidence: computeConfidence(points, cause, sourceGroup) }
}

const doubtsIn = (points: readonly Point[]) => points.filter(({ kind }) => kind === 'doubt').length
/** Sums of logarithms in another order differ in the last digit. */
const DIGITS = 9

/** One cause: evidence that names it, and what each change of the evidence does to it. */
export function describeCause(id: string, firm: Evidence, rows: readonly Row[]): void {
  describe(`the cause ${id}`, () => {
    it('is named by its base evidence', () => {
      expect(weigh(id, firm).confidence).toBeGreaterThan(NAMED_ABOVE)
    })

    it.each(rows.map(([what, ...rest]) => [what, rest] as const))('%s', (_what, [change, effect, given = {}]) => {
      const base = changed(firm, given)
      const before = weigh(id, base)
      const after = weigh(id, changed(base, change))
      switch (effect) {
        case 'refutes':
          expect(before.confidence).toBeGreaterThan(0)
          expect(after.confidence).toBe(0)
          return
        case 'supports':
          expect(after.confidence).toBeGreaterThan(before.confidence)
          return
        case 'names':
          expect(before.confidence).toBeLessThanOrEqual(NAMED_ABOVE)
          expect(after.confidence).toBeGreaterThan(NAMED_ABOVE)
          return
        case 'leaves open':
          expect(before.confidence).toBeGreaterThan(NAMED_ABOVE)
          expect(after.confidence).toBeGreaterThan(0)
          expect(after.confidence).toBeLessThanOrEqual(NAMED_ABOVE)
          return
        case 'nothing':
          expect(after.confidence).toBeCloseTo(before.confidence, DIGITS)
          return
        case 'doubts':
          expect(after.confidence).toBeCloseTo(before.confidence, DIGITS)
          expect(doubtsIn(after.points)).toBeGreaterThan(doubtsIn(before.points))
          return
        default:
          expect(before.confidence).toBeGreaterThan(effect)
          expect(after.confidence).toBeLessThanOrEqual(effect)
      }
    })
  })
}

export const withClues = (...clues: readonly Fact[]): Partial<Evidence> => ({ clues })

/** Without every clue of these names. */
export const without =
  (...names: readonly string[]) =>
  (evidence: Evidence): Evidence => ({ ...evidence, clues: evidence.clues.filter(({ is }) => !names.includes(is)) })

export const both =
  (...changes: readonly Change[]) =>
  (evidence: Evidence): Evidence =>
    changes.reduce<Evidence>((made, change) => changed(made, change), evidence)

/** It ran a job, according to its log only. */
export const WORKED: Partial<Evidence> = { clues: [logFact('job-running', { at: 61 })], log: makeLog() }
/** It is not known whether it had a job. */
export const WORK_UNKNOWN = both(without('job-running'), { job: null, log: makeLog({ isFromStart: false }) })
/** Its complete log shows that it waited and had no job. */
export const IDLE = both(without('job-running'), {
  job: null,
  log: makeLog(),
  clues: [logFact('runner-listening', { at: 20 })],
  subject: { ...SUBJECT, jobId: null },
})

export const SUCCEEDED: Partial<Evidence> = { job: makeJob({ conclusion: 'success' }) }
export const makeResult = (result: string, at = 595) => logFact('job-result', { at, fields: { result } })
export const LOST = annotationFact('lost-communication')
export const EVICTED = eventFact('evicted-for-node')
export const OVER_OWN_LIMIT = eventFact('evicted-for-own-limit')
export const REJECTED = eventFact('rejected-for-node-condition')
export const DEADLINE = eventFact('pod-deadline')
export const STOP_SIGNAL = logFact('runner-stop-requested', { at: 590 })
export const STOPPED = eventFact('kubelet-stops-container', { at: 595, fields: { container: 'runner' } })
export const DELETED: Partial<Evidence> = { auditLog: [makeAudit({ at: 590, graceSeconds: 30 })] }
export const FORCED: Partial<Evidence> = { auditLog: [makeAudit({ at: 590, graceSeconds: 0 })] }
export const REAPED: Partial<Evidence> = { auditLog: [makeAudit({ at: 700 })] }
