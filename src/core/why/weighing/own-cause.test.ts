import { describe, expect, it } from 'vitest'
import type { Stream } from '#/core/evidence/signature.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { CauseRule } from './own-cause.ts'
import { ownCause } from './own-cause.ts'
import { judge } from '#/core/why/verdict.ts'
import { END, LOG, blindTo, makeEvidence, journalFact, logFact, looking, second } from '#test/why/evidence.ts'

const rule: CauseRule = {
  id: 'license-exhausted',
  kind: 'death',
  meaning: 'the build had no seat at the license server',
  for: [
    { clue: 'license-refused', weight: 0.8, about: 'subject' },
    { clue: 'license-daemon-down', weight: 0.6, about: 'node' },
  ],
  against: [{ clue: 'oom-kill', about: 'subject' }],
  settledBy: ['logs', 'github/logs'],
  sentence: '{pod} got no seat at {license-refused.server}.',
  next: ['Ask for more seats: {license-refused.why}.'],
}

const STREAMS: Readonly<Record<string, readonly Stream[]>> = { 'oom-kill': ['kernel'] }
const cause = (changes: Partial<CauseRule> = {}) => ownCause({ ...rule, ...changes }, (clue) => STREAMS[clue] ?? [])

const refused = logFact('license-refused', { fields: { server: 'lic01', why: 'no seats' } })

const evidence = (clues: readonly Fact[], changes: Partial<Evidence> = {}): Evidence =>
  makeEvidence({
    clues,
    log: { source: LOG, firstAt: second(60), lastAt: second(END), lines: 9, isFromStart: true },
    sources: looking('logs', 'journal'),
    ...changes,
  })

const verdict = (given: Evidence, changes: Partial<CauseRule> = {}) =>
  judge(openDossier(given), [cause(changes)]).verdict

describe('a cause of own rules', () => {
  it('is named with the weight of its clue and its own sentence, filled in from the evidence', () => {
    expect(verdict(evidence([refused]))).toMatchObject({
      cause: 'license-exhausted',
      kind: 'death',
      confidence: 0.8,
      sentence: 'Pod ci/linux-x1 got no seat at lic01.',
      next: ['Ask for more seats: no seats.'],
      because: [{ is: 'license-refused' }],
      missing: ['github/logs'],
    })
  })

  it('adds up two sources, and counts a clue about the node only if the rule says so', () => {
    const down = journalFact('license-daemon-down', { about: 'node' })
    expect(verdict(evidence([refused, down])).confidence).toBe(0.92)
    expect(verdict(evidence([refused, { ...down, about: 'subject' }])).confidence).toBe(0.8)
    expect(verdict(evidence([refused, { ...down, at: second(0) }])).confidence).toBe(0.8)
  })

  it('is ruled out by a contradicting clue', () => {
    const kill = journalFact('oom-kill')
    expect(verdict(evidence([refused, kill]))).toMatchObject({ cause: 'unknown', confidence: 0 })
  })

  it('stays at 0.5 while no source that could refute it covers the time, and says so', () => {
    const sources = new Map([...looking('logs'), ...blindTo('journal')])
    const answer = verdict(evidence([refused], { sources }))
    expect(answer.cause).toBe('unknown')
    expect(answer.confidence).toBeLessThanOrEqual(0.5)
    expect(answer.sentence).toContain('no source shows whether there was a clue oom-kill')
    expect(answer.missing).toContain('journal')
    expect(verdict(evidence([refused], { sources }), { against: [] }).confidence).toBe(0.8)
  })

  it('names a placeholder without a value', () => {
    const silent = { ...refused, fields: { server: 'lic01' } }
    expect(verdict(evidence([silent])).next).toEqual(['Ask for more seats: (why unknown).'])
  })

  it('quotes the text of a group as plain text, cut to a limit', () => {
    const hostile = { ...refused, fields: { server: '\u001B[2Jlic01\r\n', why: 'w'.repeat(9000) } }
    const { sentence, next } = verdict(evidence([hostile]))
    expect(sentence).toBe('Pod ci/linux-x1 got no seat at [2Jlic01.')
    expect(next[0]?.length).toBeLessThan(300)
  })

  it('is ruled out as a death if the job succeeded', () => {
    const done = logFact('job-result', { fields: { result: 'Succeeded' } })
    expect(verdict(evidence([refused, done])).confidence).toBe(0)
    expect(verdict(evidence([refused, done]), { kind: 'not-a-death' }).confidence).toBe(0.8)
  })

  it('is ruled out as never-started if the runner had a job', () => {
    const working = logFact('job-running')
    expect(verdict(evidence([refused, working]), { kind: 'never-started' }).confidence).toBe(0)
    expect(verdict(evidence([refused]), { kind: 'never-started' }).confidence).toBe(0.8)
  })
})
