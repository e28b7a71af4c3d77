import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { computeConfidence, limitedWhile, seemsToContradict, contradicts, supports } from '#/core/why/cause.ts'
import type { Point } from '#/core/why/cause.ts'
import { fieldFact, sourceGroup } from '#/core/why/fact.ts'

const from = (source: string) => fieldFact({ is: 'something', source, at: null, text: source })
const pro = (weight: number, source: string) => supports(weight, from(source))
const confidence = (points: readonly Point[], isProvenByStatus?: true) =>
  computeConfidence(points, isProvenByStatus === undefined ? {} : { isProvenByStatus }, sourceGroup)

describe('the confidence of a cause', () => {
  it('is 0 without a point', () => {
    expect(confidence([])).toBe(0)
  })

  it('is the weight of a single source', () => {
    expect(confidence(pro(0.8, 'journal/n1'))).toBeCloseTo(0.8)
  })

  it('grows with a second, independent source', () => {
    expect(confidence([...pro(0.8, 'journal/n1'), ...pro(0.5, 'kubernetes/events')])).toBeCloseTo(0.9)
  })

  it('does not grow if one source shows it twice: the strongest weight counts', () => {
    const points = [...pro(0.5, 'logs/ci/a/runner'), ...pro(0.8, 'logs/ci/a/dind'), ...pro(0.5, 'logs/ci/b/listener')]
    expect(confidence(points)).toBeCloseTo(0.8)
  })

  it('is at most 0.6 from the pod status alone', () => {
    expect(confidence(pro(0.95, 'kubernetes/pods'))).toBeCloseTo(0.6)
    expect(confidence(pro(0.4, 'kubernetes/pods'))).toBeCloseTo(0.4)
    expect(confidence([...pro(0.95, 'kubernetes/pods'), ...pro(0.5, 'journal/n1')])).toBeCloseTo(0.8)
  })

  it('is higher from the pod status alone if the status is proof', () => {
    expect(confidence(pro(0.95, 'kubernetes/pods'), true)).toBeCloseTo(0.95)
  })

  it('is 0 with one contradicting fact', () => {
    expect(confidence([...pro(0.95, 'journal/n1'), ...contradicts(from('github/jobs'))])).toBe(0)
  })

  it('does not fall if a fact only seems to contradict it', () => {
    expect(confidence([...pro(0.8, 'journal/n1'), ...seemsToContradict(from('kubernetes/audit'))])).toBeCloseTo(0.8)
  })

  it('is never above the lowest limit', () => {
    const limits = [...limitedWhile(true, 'one'), ...limitedWhile(true, 'two', { at: 0.3 })]
    expect(confidence([...pro(0.95, 'journal/n1'), ...limits])).toBe(0.3)
    expect(confidence([...pro(0.2, 'journal/n1'), ...limits])).toBeCloseTo(0.2)
    expect(confidence([...pro(0.95, 'journal/n1'), ...limitedWhile(false, 'no')])).toBeCloseTo(0.95)
  })

  it('is never quite certain', () => {
    const points = ['journal', 'logs', 'cgroup', 'github/jobs'].flatMap((source) => pro(0.95, source))
    expect(confidence(points)).toBe(0.99)
  })
})

describe('points', () => {
  it('are built from one fact, several, or none', () => {
    const fact = from('journal')
    expect(supports(0.5, [fact, fact])).toHaveLength(2)
    expect(contradicts(fact)).toEqual([{ kind: 'against', fact }])
    expect(seemsToContradict([fact])).toEqual([{ kind: 'doubt', fact }])
    expect([supports(0.5, null), contradicts(undefined), seemsToContradict([])]).toEqual([[], [], []])
  })

  it('limit to 0.5 with no missing source by default', () => {
    expect(limitedWhile(true, 'why')).toEqual([{ kind: 'limit', at: 0.5, why: 'why', missing: [] }])
  })
})

const SOURCES = ['kubernetes/pods', 'kubernetes/events', 'kubernetes/audit', 'journal/n1', 'logs/a/b/c', 'github/jobs']
const source = fc.constantFrom(...SOURCES)
const weight = fc.double({ min: 0.01, max: 0.97, noNaN: true })
const forPoint = fc
  .record({ weight, source })
  .map((made): Point => ({ kind: 'for', weight: made.weight, fact: from(made.source) }))
const limit = fc
  .double({ min: 0, max: 1, noNaN: true })
  .map((at): Point => ({ kind: 'limit', at, why: 'why', missing: [] }))
const against = source.map((name): Point => ({ kind: 'against', fact: from(name) }))
const doubt = source.map((name): Point => ({ kind: 'doubt', fact: from(name) }))
const points = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: forPoint },
    { weight: 2, arbitrary: limit },
    { weight: 1, arbitrary: against },
    doubt,
  ),
  { maxLength: 12 },
)
const proven = fc.constantFrom(undefined, true as const)
const ROUNDING = 1e-12

describe('for any points, the confidence of a cause', () => {
  it('is between 0 and almost certain', () => {
    fc.assert(
      fc.property(points, proven, (all, status) => {
        const answer = confidence(all, status)
        expect(answer).toBeGreaterThanOrEqual(0)
        expect(answer).toBeLessThanOrEqual(0.99)
      }),
    )
  })

  it('never falls with a supporting point, and never rises when one is lost', () => {
    fc.assert(
      fc.property(points, forPoint, proven, (all, more, status) => {
        expect(confidence([...all, more], status)).toBeGreaterThanOrEqual(confidence(all, status) - ROUNDING)
      }),
    )
  })

  it('never rises with a limit', () => {
    fc.assert(
      fc.property(points, limit, proven, (all, more, status) => {
        expect(confidence([...all, more], status)).toBeLessThanOrEqual(confidence(all, status))
      }),
    )
  })

  it('is 0 with any contradicting point, in any position', () => {
    fc.assert(
      fc.property(points, against, points, (before, veto, after) => {
        expect(confidence([...before, veto, ...after])).toBe(0)
      }),
    )
  })

  it('does not depend on the order of the points', () => {
    const shuffled = points.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, proven, ([all, mixed], status) => {
        expect(confidence(mixed, status)).toBeCloseTo(confidence(all, status), 10)
      }),
    )
  })

  it('does not change if points are repeated', () => {
    fc.assert(
      fc.property(points, proven, (all, status) => {
        expect(confidence([...all, ...all], status)).toBeCloseTo(confidence(all, status), 10)
      }),
    )
  })

  it('is at most 0.6 from the pod status alone', () => {
    const ofPod = fc.array(
      weight.map((heavy): Point => ({ kind: 'for', weight: heavy, fact: from('kubernetes/pods') })),
    )
    fc.assert(
      fc.property(ofPod, (all) => {
        expect(confidence(all)).toBeLessThanOrEqual(0.6 + ROUNDING)
      }),
    )
  })
})
