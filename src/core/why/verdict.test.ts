import { describe, expect, it } from 'vitest'

import { limitedWhile, seemsToContradict, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause, Point } from '#/core/why/cause.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { QUESTIONED_SOURCES, judge } from '#/core/why/verdict.ts'
import {
  END,
  makeAudit,
  blindTo,
  makeContainer,
  ended,
  endedPod,
  makeEvidence,
  journalFact,
  logFact,
  makeLog,
  looking,
  makePod,
  second,
} from '#test/why/evidence.ts'

const NAMED = /^Pod fell\.$/

function makeCause(id: string, points: readonly Point[], changes: Partial<Cause> = {}): Cause {
  return {
    id,
    kind: 'death',
    meaning: 'it fell',
    distinguishedBy: 'it fell',
    settledBy: ['journal', 'logs'],
    weigh: () => points,
    sentence: () => 'Pod fell.',
    next: () => [`fix ${id}`],
    ...changes,
  }
}

const journal = (weight: number) => supports(weight, journalFact('a'))
/** Every source is read by default, because blind sources lower a guess. */
const judgeCauses = (causes: readonly Cause[], evidence: Partial<Evidence> = {}) =>
  judge(openDossier(makeEvidence({ sources: looking(...QUESTIONED_SOURCES), ...evidence })), causes)

describe('the verdict', () => {
  it('names the strongest cause, with its kind, sentence and advice', () => {
    const actor = () => 'kubelet'
    const { verdict } = judgeCauses([makeCause('a', journal(0.6)), makeCause('b', journal(0.9), { actor })])
    expect(verdict).toMatchObject({ cause: 'b', kind: 'death', confidence: 0.9, actor: 'kubelet', next: ['fix b'] })
    expect(verdict.sentence).toMatch(NAMED)
  })

  it('has no actor if the cause has none', () => {
    expect(judgeCauses([makeCause('a', journal(0.9))]).verdict.actor).toBeNull()
    expect(judgeCauses([makeCause('a', journal(0.9), { actor: () => null })]).verdict.actor).toBeNull()
  })

  it.each([
    [0.5, 'unknown'],
    [0.5004, 'unknown'],
    [0.501, 'a'],
  ])('at %f is %s: only what is above a half is named', (weight, cause) => {
    expect(judgeCauses([makeCause('a', journal(weight))]).verdict.cause).toBe(cause)
  })

  it('names the earlier of two causes with equal weight', () => {
    expect(judgeCauses([makeCause('a', journal(0.8)), makeCause('b', journal(0.8))]).verdict.cause).toBe('a')
  })

  it('rounds the confidence to three digits', () => {
    const points = [...journal(0.77), ...supports(0.33, logFact('b'))]
    expect(judgeCauses([makeCause('a', points)]).verdict.confidence).toBe(0.846)
  })

  it('counts one source once, and the pod status for at most 0.6', () => {
    const twice = [...journal(0.6), ...supports(0.6, journalFact('b', { source: 'journal/n2' }))]
    expect(judgeCauses([makeCause('a', twice)]).verdict.confidence).toBe(0.6)
    const status = supports(0.95, { ...journalFact('c'), source: 'kubernetes/pods' })
    expect(judgeCauses([makeCause('a', status)]).verdict.confidence).toBe(0.6)
    expect(judgeCauses([makeCause('a', status, { isProvenByStatus: true })]).verdict.confidence).toBe(0.95)
  })

  it('lists the twelve strongest facts once each, by time', () => {
    const many = Array.from({ length: 20 }, (_, index) => journalFact('x', { at: 100 - index, text: `line ${index}` }))
    const heavy = logFact('y', { at: 1, text: 'heavy' })
    const points = [...supports(0.3, [...many, ...many]), ...supports(0.9, heavy)]
    const { because } = judgeCauses([makeCause('a', points)]).verdict
    expect(because).toHaveLength(12)
    expect(because[0]).toBe(heavy)
    expect(because.map(({ at }) => at ?? 0)).toEqual(because.map(({ at }) => at ?? 0).toSorted((a, b) => a - b))
    expect(new Set(because.map(({ text }) => text)).size).toBe(12)
  })

  it('lists at most twelve doubts, by time', () => {
    const doubts = Array.from({ length: 20 }, (_, index) =>
      journalFact('x', { at: 100 - index, text: `line ${index}` }),
    )
    const { doubts: against } = judgeCauses([makeCause('a', [...journal(0.9), ...seemsToContradict(doubts)])]).verdict
    expect(against).toHaveLength(12)
    expect(against[0]?.text).toBe('line 11')
  })
})

describe('what was missing', () => {
  it('for a named cause: blind sources that would settle it or that limit it', () => {
    const points = [...journal(0.9), ...limitedWhile(true, 'why', { at: 0.8, missing: ['cgroup', 'journal'] })]
    const sources = new Map([...looking('journal'), ...blindTo('cgroup')])
    expect(judgeCauses([makeCause('a', points)], { sources }).verdict.missing).toEqual(['cgroup', 'logs'])
  })

  it('for an unknown one: every blind source, with advice for each', () => {
    const { verdict } = judgeCauses([], { sources: looking('kubernetes/pods', 'journal') })
    const blind = QUESTIONED_SOURCES.filter((source) => source !== 'kubernetes/pods' && source !== 'journal')
    expect(verdict.missing).toEqual(blind)
    expect(verdict.next).toHaveLength(blind.length)
    expect(verdict.next.join(' ')).not.toContain('Make ')
  })
})

describe('the other causes', () => {
  const several = [
    makeCause('a', journal(0.6)),
    makeCause('b', journal(0.9)),
    makeCause('c', journal(0.7)),
    makeCause('d', journal(0.099)),
    makeCause('e', journal(0.1)),
    makeCause('f', [...journal(0.9), ...contradicts(logFact('x'))]),
  ]

  it('are in order of confidence, without the named one and negligible ones', () => {
    expect(judgeCauses(several).alternatives).toEqual([
      { cause: 'c', confidence: 0.7 },
      { cause: 'a', confidence: 0.6 },
      { cause: 'e', confidence: 0.1 },
    ])
  })

  it('include the best guess if no cause was named', () => {
    const { verdict, alternatives } = judgeCauses([makeCause('a', journal(0.4)), makeCause('b', journal(0.5))])
    expect(verdict).toMatchObject({ cause: 'unknown', kind: 'unknown', confidence: 0.5, actor: null })
    expect(verdict.doubts).toEqual([])
    expect(alternatives).toEqual([
      { cause: 'b', confidence: 0.5 },
      { cause: 'a', confidence: 0.4 },
    ])
  })
})

describe('a guess', () => {
  const guess = makeCause('a', journal(0.5))
  const read = (count: number) => ({ sources: looking(...QUESTIONED_SOURCES.slice(0, count)) })

  it.each([
    [QUESTIONED_SOURCES.length, 0.5],
    [QUESTIONED_SOURCES.length - 1, 0.5],
    [QUESTIONED_SOURCES.length - 2, 0.45],
    [QUESTIONED_SOURCES.length - 5, 0.3],
  ])('with %i sources read is worth %f at the most', (count, confidence) => {
    expect(judgeCauses([guess], read(count)).verdict.confidence).toBeCloseTo(confidence)
  })

  it('is lowered by blind sources, never raised', () => {
    expect(judgeCauses([makeCause('a', journal(0.2))], read(QUESTIONED_SOURCES.length - 3)).verdict.confidence).toBe(
      0.2,
    )
  })

  it('is lowered, a named cause is not', () => {
    expect(judgeCauses([makeCause('a', journal(0.6))], read(0)).verdict).toMatchObject({ cause: 'a', confidence: 0.6 })
  })
})

describe('an unknown end', () => {
  it('says why the best guess is not named', () => {
    const limited = makeCause('a', [...journal(0.9), ...limitedWhile(true, 'nothing was watching')])
    const { verdict } = judgeCauses([limited])
    expect(verdict.sentence).toBe('The evidence names no cause; the best guess is a, but nothing was watching.')
    expect(verdict.because).toHaveLength(1)
    expect(verdict.next.at(-1)).toBe('If it was a: fix a')
  })

  it('says that too little evidence supports the best guess', () => {
    expect(judgeCauses([makeCause('a', journal(0.4))]).verdict.sentence).toContain(
      'the best guess is a, but too little evidence supports it.',
    )
  })

  it('makes no guess if every cause is negligible', () => {
    const { verdict, alternatives } = judgeCauses([makeCause('a', journal(0.09))])
    expect(verdict).toMatchObject({ confidence: 0.09, sentence: 'The evidence names no cause.', because: [] })
    expect(verdict.next.join(' ')).not.toContain('fix a')
    expect(alternatives).toEqual([])
    expect(judgeCauses([]).verdict).toMatchObject({ cause: 'unknown', confidence: 0 })
  })

  it('says who requested the end of the live pod, not who cleaned up later', () => {
    const [pod, audit] = [endedPod(137), [makeAudit({ user: 'jane', at: END - 5 })]]
    expect(judgeCauses([], { pod, auditLog: audit }).verdict).toMatchObject({
      actor: null,
      sentence:
        'The runner container of pod ci/linux-x1 ended with exit code 137, and the evidence names no cause, though user:jane requested the end of the pod.',
    })
    expect(judgeCauses([makeCause('a', journal(0.4))], { pod, auditLog: audit }).verdict.sentence).toContain(
      'no cause, though user:jane requested the end of the pod; the best guess is a, but',
    )
    const reaped = [makeAudit({ user: 'jane', at: END + 60 })]
    expect(judgeCauses([], { pod, auditLog: reaped }).verdict.sentence).not.toContain('jane')
  })

  it('says how the container ended, and points to its log if nothing stopped it', () => {
    const own = { pod: endedPod(3), log: makeLog() }
    const { sentence, next } = judgeCauses([], own).verdict
    expect(sentence).toBe(
      'The runner container of pod ci/linux-x1 ended with exit code 3, and the evidence names no cause.',
    )
    expect(next[0]).toBe('Read the last lines of its log: it exited by itself with code 3.')
    const signalled = judgeCauses([], { pod: endedPod(137), log: makeLog() }).verdict.next[0]
    expect(signalled).toBe('Read the last lines of its log: a signal ended it (exit code 137).')
    const stopped = { ...own, clues: [journalFact('stop-requested', { at: END - 1 })] }
    expect(judgeCauses([], stopped).verdict.next[0]).not.toContain('by itself')
    const asked = { ...own, auditLog: [makeAudit({ at: END - 5 })] }
    expect(judgeCauses([], asked).verdict.next[0]).not.toContain('by itself')
    expect(judgeCauses([], { pod: endedPod(0), log: makeLog() }).verdict.next[0]).not.toContain('by itself')
  })

  it('says so where several containers may be the runner', () => {
    const containers = ['a-main', 'proxy'].map((name) => makeContainer({ name, state: ended(1) }))
    expect(judgeCauses([], { pod: makePod({ containers }) }).verdict.sentence).toBe(
      "Which container is the runner's is not known (a-main, proxy), and the evidence names no cause.",
    )
  })

  it('is not an end while the runner is being stopped and still runs', () => {
    const pod = makePod({ deletedAt: second(END), graceSeconds: 30 })
    const now = second(END - 10)
    const { sentence, next } = judgeCauses([makeCause('a', journal(0.4))], { pod, now }).verdict
    expect([sentence, next.length]).toEqual(['The runner is being stopped and still runs.', 1])
    for (const change of [{ now: second(END + 1) }, { pod: { ...pod, lastSeenAt: now } }])
      expect(judgeCauses([], { pod, now, ...change }).verdict.sentence).toBe('The evidence names no cause.')
  })

  it('is not an end while the runner runs', () => {
    const { verdict } = judgeCauses([makeCause('a', journal(0.4))], { pod: makePod() })
    expect(verdict.sentence).toBe('The runner is still running.')
    expect(verdict.next).toEqual([expect.stringContaining('Run this again after it has ended')])
  })
})
