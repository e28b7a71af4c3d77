import { describe, expect, it } from 'vitest'

import { limitedWhile, seemsAgainst, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause, Point } from '#/core/why/cause.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { QUESTIONED_SOURCES, judge } from '#/core/why/verdict.ts'
import {
  END,
  auditOf,
  blindTo,
  containerOf,
  ended,
  endedPod,
  evidenceOf,
  journalFact,
  logFact,
  logOf,
  looking,
  podOf,
  second,
} from '#test/why/evidence.ts'

const NAMED = /^Pod fell\.$/

function causeOf(id: string, points: readonly Point[], changes: Partial<Cause> = {}): Cause {
  return {
    id,
    kind: 'death',
    meaning: 'it fell',
    toldApart: 'it fell',
    settledBy: ['journal', 'logs'],
    weigh: () => points,
    sentence: () => 'Pod fell.',
    next: () => [`fix ${id}`],
    ...changes,
  }
}

const journal = (weight: number) => speaksFor(weight, journalFact('a'))
/** Every source is read by default, because blind sources lower a guess. */
const judged = (causes: readonly Cause[], evidence: Partial<Evidence> = {}) =>
  judge(openDossier(evidenceOf({ sources: looking(...QUESTIONED_SOURCES), ...evidence })), causes)

describe('the verdict', () => {
  it('names the strongest cause, with its kind, sentence and advice', () => {
    const actor = () => 'kubelet'
    const { verdict } = judged([causeOf('a', journal(0.6)), causeOf('b', journal(0.9), { actor })])
    expect(verdict).toMatchObject({ cause: 'b', kind: 'death', confidence: 0.9, actor: 'kubelet', next: ['fix b'] })
    expect(verdict.sentence).toMatch(NAMED)
  })

  it('has no actor if the cause has none', () => {
    expect(judged([causeOf('a', journal(0.9))]).verdict.actor).toBeNull()
    expect(judged([causeOf('a', journal(0.9), { actor: () => null })]).verdict.actor).toBeNull()
  })

  it.each([
    [0.5, 'unknown'],
    [0.5004, 'unknown'],
    [0.501, 'a'],
  ])('at %f is %s: only what is above a half is named', (weight, cause) => {
    expect(judged([causeOf('a', journal(weight))]).verdict.cause).toBe(cause)
  })

  it('names the earlier of two causes with equal weight', () => {
    expect(judged([causeOf('a', journal(0.8)), causeOf('b', journal(0.8))]).verdict.cause).toBe('a')
  })

  it('rounds the confidence to three digits', () => {
    const points = [...journal(0.77), ...speaksFor(0.33, logFact('b'))]
    expect(judged([causeOf('a', points)]).verdict.confidence).toBe(0.846)
  })

  it('counts one source once, and the pod status for at most 0.6', () => {
    const twice = [...journal(0.6), ...speaksFor(0.6, journalFact('b', { source: 'journal/n2' }))]
    expect(judged([causeOf('a', twice)]).verdict.confidence).toBe(0.6)
    const status = speaksFor(0.95, { ...journalFact('c'), source: 'kubernetes/pods' })
    expect(judged([causeOf('a', status)]).verdict.confidence).toBe(0.6)
    expect(judged([causeOf('a', status, { isProvenByStatus: true })]).verdict.confidence).toBe(0.95)
  })

  it('lists the twelve strongest facts once each, by time', () => {
    const many = Array.from({ length: 20 }, (_, index) => journalFact('x', { at: 100 - index, text: `line ${index}` }))
    const heavy = logFact('y', { at: 1, text: 'heavy' })
    const points = [...speaksFor(0.3, [...many, ...many]), ...speaksFor(0.9, heavy)]
    const { because } = judged([causeOf('a', points)]).verdict
    expect(because).toHaveLength(12)
    expect(because[0]).toBe(heavy)
    expect(because.map(({ at }) => at ?? 0)).toEqual(because.map(({ at }) => at ?? 0).toSorted((a, b) => a - b))
    expect(new Set(because.map(({ text }) => text)).size).toBe(12)
  })

  it('lists at most twelve doubts, by time', () => {
    const doubts = Array.from({ length: 20 }, (_, index) =>
      journalFact('x', { at: 100 - index, text: `line ${index}` }),
    )
    const { against } = judged([causeOf('a', [...journal(0.9), ...seemsAgainst(doubts)])]).verdict
    expect(against).toHaveLength(12)
    expect(against[0]?.text).toBe('line 11')
  })
})

describe('what was missing', () => {
  it('for a named cause: blind sources that would settle it or that limit it', () => {
    const points = [...journal(0.9), ...limitedWhile(true, 'why', { at: 0.8, missing: ['cgroup', 'journal'] })]
    const sources = new Map([...looking('journal'), ...blindTo('cgroup')])
    expect(judged([causeOf('a', points)], { sources }).verdict.missing).toEqual(['cgroup', 'logs'])
  })

  it('for an unknown one: every blind source, with advice for each', () => {
    const { verdict } = judged([], { sources: looking('kubernetes/pods', 'journal') })
    const blind = QUESTIONED_SOURCES.filter((source) => source !== 'kubernetes/pods' && source !== 'journal')
    expect(verdict.missing).toEqual(blind)
    expect(verdict.next).toHaveLength(blind.length)
    expect(verdict.next.join(' ')).not.toContain('Make ')
  })
})

describe('the other causes', () => {
  const several = [
    causeOf('a', journal(0.6)),
    causeOf('b', journal(0.9)),
    causeOf('c', journal(0.7)),
    causeOf('d', journal(0.099)),
    causeOf('e', journal(0.1)),
    causeOf('f', [...journal(0.9), ...speaksAgainst(logFact('x'))]),
  ]

  it('are in order of confidence, without the named one and negligible ones', () => {
    expect(judged(several).alternatives).toEqual([
      { cause: 'c', confidence: 0.7 },
      { cause: 'a', confidence: 0.6 },
      { cause: 'e', confidence: 0.1 },
    ])
  })

  it('include the best guess if no cause was named', () => {
    const { verdict, alternatives } = judged([causeOf('a', journal(0.4)), causeOf('b', journal(0.5))])
    expect(verdict).toMatchObject({ cause: 'unknown', kind: 'unknown', confidence: 0.5, actor: null })
    expect(verdict.against).toEqual([])
    expect(alternatives).toEqual([
      { cause: 'b', confidence: 0.5 },
      { cause: 'a', confidence: 0.4 },
    ])
  })
})

describe('a guess', () => {
  const guess = causeOf('a', journal(0.5))
  const read = (count: number) => ({ sources: looking(...QUESTIONED_SOURCES.slice(0, count)) })

  it.each([
    [QUESTIONED_SOURCES.length, 0.5],
    [QUESTIONED_SOURCES.length - 1, 0.5],
    [QUESTIONED_SOURCES.length - 2, 0.45],
    [QUESTIONED_SOURCES.length - 5, 0.3],
  ])('with %i sources read is worth %f at the most', (count, confidence) => {
    expect(judged([guess], read(count)).verdict.confidence).toBeCloseTo(confidence)
  })

  it('is lowered by blind sources, never raised', () => {
    expect(judged([causeOf('a', journal(0.2))], read(QUESTIONED_SOURCES.length - 3)).verdict.confidence).toBe(0.2)
  })

  it('is lowered, a named cause is not', () => {
    expect(judged([causeOf('a', journal(0.6))], read(0)).verdict).toMatchObject({ cause: 'a', confidence: 0.6 })
  })
})

describe('an unknown end', () => {
  it('says why the best guess is not named', () => {
    const limited = causeOf('a', [...journal(0.9), ...limitedWhile(true, 'nobody was looking')])
    const { verdict } = judged([limited])
    expect(verdict.sentence).toBe('The evidence names no cause; the best guess is a, but nobody was looking.')
    expect(verdict.because).toHaveLength(1)
    expect(verdict.next.at(-1)).toBe('fix a')
  })

  it('says that too little evidence supports the best guess', () => {
    expect(judged([causeOf('a', journal(0.4))]).verdict.sentence).toContain(
      'the best guess is a, but too little evidence supports it.',
    )
  })

  it('makes no guess if every cause is negligible', () => {
    const { verdict, alternatives } = judged([causeOf('a', journal(0.09))])
    expect(verdict).toMatchObject({ confidence: 0.09, sentence: 'The evidence names no cause.', because: [] })
    expect(verdict.next).not.toContain('fix a')
    expect(alternatives).toEqual([])
    expect(judged([]).verdict).toMatchObject({ cause: 'unknown', confidence: 0 })
  })

  it('says who requested the end of the live pod, not who cleaned up later', () => {
    const [pod, audit] = [endedPod(137), [auditOf({ user: 'jane', at: END - 5 })]]
    expect(judged([], { pod, audit }).verdict).toMatchObject({
      actor: null,
      sentence:
        'The runner container of pod ci/linux-x1 ended with exit code 137, and the evidence names no cause, though user:jane requested the end of the pod.',
    })
    expect(judged([causeOf('a', journal(0.4))], { pod, audit }).verdict.sentence).toContain(
      'no cause, though user:jane requested the end of the pod; the best guess is a, but',
    )
    const reaped = [auditOf({ user: 'jane', at: END + 60 })]
    expect(judged([], { pod, audit: reaped }).verdict.sentence).not.toContain('jane')
  })

  it('says how the container ended, and points to its log if nothing stopped it', () => {
    const own = { pod: endedPod(3), log: logOf() }
    const { sentence, next } = judged([], own).verdict
    expect(sentence).toBe(
      'The runner container of pod ci/linux-x1 ended with exit code 3, and the evidence names no cause.',
    )
    expect(next[0]).toBe('Read the last lines of its log: it exited by itself with code 3.')
    const stopped = { ...own, clues: [journalFact('stop-requested', { at: END - 1 })] }
    expect(judged([], stopped).verdict.next[0]).not.toContain('by itself')
    const asked = { ...own, audit: [auditOf({ at: END - 5 })] }
    expect(judged([], asked).verdict.next[0]).not.toContain('by itself')
    expect(judged([], { pod: endedPod(0), log: logOf() }).verdict.next[0]).not.toContain('by itself')
  })

  it('says so where several containers may be the runner', () => {
    const containers = ['a-main', 'proxy'].map((name) => containerOf({ name, state: ended(1) }))
    expect(judged([], { pod: podOf({ containers }) }).verdict.sentence).toBe(
      "Which container is the runner's is not known (a-main, proxy), and the evidence names no cause.",
    )
  })

  it('is not an end while the runner is being stopped and still runs', () => {
    const pod = podOf({ deletedAt: second(END), graceSeconds: 30 })
    const now = second(END - 10)
    const { sentence, next } = judged([causeOf('a', journal(0.4))], { pod, now }).verdict
    expect([sentence, next.length]).toEqual(['The runner is being stopped and still runs.', 1])
    for (const change of [{ now: second(END + 1) }, { pod: { ...pod, lastSeenAt: now } }])
      expect(judged([], { pod, now, ...change }).verdict.sentence).toBe('The evidence names no cause.')
  })

  it('is not an end while the runner runs', () => {
    const { verdict } = judged([causeOf('a', journal(0.4))], { pod: podOf() })
    expect(verdict.sentence).toBe('The runner is still running.')
    expect(verdict.next).toEqual([expect.stringContaining('Run this again after it has ended')])
  })
})
