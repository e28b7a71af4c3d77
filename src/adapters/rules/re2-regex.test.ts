import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { literalAutomaton } from '#/core/basics/literal-automaton.ts'
import { LONG_RUN, draws } from '#test/tiers/long-run.ts'
import { compileRe2 } from './re2-regex.ts'

function compiled(source: string, flags = '') {
  const result = compileRe2(source, flags)
  if (result.kind === 'refused') throw new Error(result.why)
  return result
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

describe('compileRe2', () => {
  it('gives named groups in both spellings, and leaves out what took no part', () => {
    const { regex } = compiled('(?P<who>\\w+) died(?: of (?<what>\\w+))?')
    expect(regex.exec('runner died of hunger')?.groups).toEqual({ who: 'runner', what: 'hunger' })
    expect(regex.exec('runner died')?.groups).toEqual({ who: 'runner', what: undefined })
    expect(regex.exec('runner lives')).toBeNull()
  })

  it('keeps no state between lines', () => {
    const { regex } = compiled('(?<n>\\d) of 3')
    expect(['1 of 3', 'none', '2 of 3'].map((line) => regex.exec(line)?.groups?.['n'])).toEqual(['1', undefined, '2'])
  })

  it.each<[string, string, string, boolean]>([
    ['', 'seat', 'SEAT', false],
    ['i', 'seat', 'SEAT', true],
    ['', '^seat', 'no\nseat', false],
    ['m', '^seat', 'no\nseat', true],
    ['', 'no.seat', 'no\nseat', false],
    ['s', 'no.seat', 'no\nseat', true],
  ])('with the flags "%s", %s on %j', (flags, source, text, matches) => {
    expect(compiled(source, flags).regex.test(text)).toBe(matches)
  })

  it.each<[string, RegExp]>([
    ['(a', /missing closing \)/],
    ['[z-a]', /range/],
    ['a**', /repetition/],
    ['(?P<a>x)(?P<a>y)', /duplicate/],
    ['a{1001}', /repeat count/],
    ['(a{100}){100}', /repeat count/],
    [`${'('.repeat(1100)}${')'.repeat(1100)}`, /nests too deeply/],
  ])('refuses %s', (source, why) => {
    expect(compileRe2(source, '')).toMatchObject({ kind: 'refused', why: expect.stringMatching(why) as string })
  })

  it.each<[string, RegExp]>([
    ['(?=a)b', /no lookahead/],
    ['(?<=a)b', /no lookbehind/],
    ['(?!a)b', /no lookahead/],
    ['(a)\\1', /no backreferences/],
  ])('says what to do instead of %s', (source, advice) => {
    expect(compileRe2(source, '')).toMatchObject({ kind: 'refused', advice: expect.stringMatching(advice) as string })
  })

  it('refuses a program that would make every line dear', () => {
    expect(compileRe2('(a?){400}b', '')).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('too costly') as string,
    })
    expect(compiled('a{400}b').regex.test(`${'a'.repeat(400)}b`)).toBe(true)
  })

  it.each([
    '(a+)+$',
    '(a|aa)+$',
    '(a|a)*b$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(.*)*(.*)*(.*)*z$',
    '(?P<x>a*)*(?P<y>a*)*!$',
  ])('reads 100 KB in linear time: %s', (source) => {
    const { regex } = compiled(source)
    const line = `${'a'.repeat(100_000)}?`
    regex.exec(line)
    const once = cpuMs(() => regex.exec(line))
    expect(once).toBeLessThan(1_000)
  })
})

describe('the literals of a pattern', () => {
  it.each<[string, string, readonly string[]]>([
    ['license server (?P<host>\\S+) refused', '', ['license server ']],
    ['(?:error|warning): disk', '', [': disk']],
    ['(?:error|warning)s?', '', ['error', 'warning']],
    ['(?:error|\\d+)', '', []],
    ['\\d+ of \\d+', '', [' of ']],
    ['\\d+', '', []],
    ['(?:seat)?s left', '', ['s left']],
    ['(?:seat){2,3}', '', ['seat']],
    ['No Seat', 'i', ['No Seat']],
    ['kein Platz für dich', 'i', []],
    ['kein Platz für dich', '', ['kein Platz für dich']],
    ['(?i)no seat', '', []],
    ['.*', '', []],
  ])('of %s with the flags "%s" are %j', (source, flags, literals) => {
    const found = compiled(source, flags).literals
    expect(found.toSorted()).toEqual(literals.toSorted())
  })

  it('are in every text that matches, whatever the pattern', () => {
    const atom = fc.constantFrom(
      'ab',
      'a',
      'b+',
      '(?:ab|ba)',
      '(?:a|bb)?',
      '.',
      '[ab]',
      '(?:ab){2}',
      '(?:b|aab)',
      'ba*',
      '^',
      '$',
    )
    const pattern = fc.array(atom, { minLength: 1, maxLength: 5 }).map((atoms) => atoms.join(''))
    const alternatives = fc.array(pattern, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|'))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', 'c'), maxLength: 12 })
    let matches = 0
    fc.assert(
      fc.property(alternatives, fc.constantFrom('', 'i'), text, (source, flags, line) => {
        const { regex, literals } = compiled(source, flags)
        if (literals.length === 0 || !regex.test(line)) return
        matches += 1
        const bytes = new TextEncoder().encode(line)
        expect([source, line, literalAutomaton(literals).firstEnd(bytes, 0, bytes.length) >= 0]).toEqual([
          source,
          line,
          true,
        ])
      }),
      { numRuns: draws(3000) },
    )
    expect(matches).toBeGreaterThan(LONG_RUN ? 100 : 3)
  })
})
