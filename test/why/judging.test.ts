import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { CAUSES } from '#/causes/index.ts'
import { computeConfidence } from '#/core/why/cause.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { sourceGroup } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { judge } from '#/core/why/verdict.ts'
import { CLUE_SOURCES, anyEvidence } from '#test/why/any-evidence.ts'
import { draws } from '#test/tiers/long-run.ts'

const byTime = (a: Fact, b: Fact) => (a.at ?? Infinity) - (b.at ?? Infinity) || 0
const judgeEvidence = (evidence: Evidence) => judge(openDossier(evidence), CAUSES)

/** The same clues, with the sources in another order; the lines of each source keep their order. */
const reordered = fc
  .tuple(anyEvidence, fc.shuffledSubarray([...CLUE_SOURCES], { minLength: CLUE_SOURCES.length }))
  .map(([evidence, order]) => {
    const sorted = (sources: readonly string[]) =>
      evidence.clues.toSorted(
        (a, b) => byTime(a, b) || sources.indexOf(a.source) - sources.indexOf(b.source) || a.order - b.order,
      )
    return [
      { ...evidence, clues: sorted(CLUE_SOURCES) },
      { ...evidence, clues: sorted(order) },
    ] as const
  })

describe('a judgement on any evidence', () => {
  it('is the same each time', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        expect(judgeEvidence(evidence)).toEqual(judgeEvidence(structuredClone(evidence)))
      }),
    )
  })

  it('does not depend on the order of clues with equal times', () => {
    fc.assert(
      fc.property(reordered, ([one, other]) => {
        const [a, b] = [judgeEvidence(one), judgeEvidence(other)]
        expect([b.verdict.cause, b.verdict.confidence, b.verdict.actor]).toEqual([
          a.verdict.cause,
          a.verdict.confidence,
          a.verdict.actor,
        ])
        expect(b.alternatives).toEqual(a.alternatives)
      }),
      { numRuns: draws(500) },
    )
  })

  it('has a sentence, evidence and advice', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const { verdict } = judgeEvidence(evidence)
        expect(verdict.sentence).toMatch(/^[A-Z].*\.$/s)
        expect(verdict.sentence).not.toMatch(/undefined|\bNaN\b/)
        expect(verdict.cause === 'unknown').toBe(verdict.confidence <= 0.5)
        if (verdict.cause === 'unknown') return
        expect(verdict.because).not.toEqual([])
        expect(verdict.next).not.toEqual([])
      }),
      { numRuns: draws(300) },
    )
  })

  it('has alternatives in order, each once, without the named cause', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const { verdict, alternatives } = judgeEvidence(evidence)
        const ids = alternatives.map(({ cause }) => cause)
        expect(ids).not.toContain(verdict.cause)
        expect(new Set(ids).size).toBe(ids.length)
        expect(alternatives.map(({ confidence }) => confidence)).toEqual(
          alternatives.map(({ confidence }) => confidence).toSorted((a, b) => b - a),
        )
        expect(alternatives.every(({ confidence }) => confidence <= verdict.confidence)).toBe(true)
      }),
    )
  })

  it('has weights above 0 and up to 0.97, and is never fully certain', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const dossier = openDossier(evidence)
        for (const cause of CAUSES) {
          const points = cause.weigh(dossier)
          const weights = points.flatMap((point) => (point.kind === 'for' ? [point.weight] : []))
          expect(
            weights.filter((weight) => !(weight > 0 && weight <= 0.97)).map((weight) => `${cause.id} ${weight}`),
          ).toEqual([])
          expect(computeConfidence(points, cause, sourceGroup)).toBeLessThanOrEqual(0.99)
        }
      }),
      { numRuns: draws(100) },
    )
  })
})
