import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clueFinder } from '#/core/evidence/find-clues.ts'
import { CAUSE, HEAD, SIGNATURE, WHOLE, builtIn, changed, ours, problems } from '#test/rules/license-rules.ts'
import { draws } from '#test/tiers/long-run.ts'
import { readRules } from './read-rules.ts'

describe('readRules', () => {
  it('gives signatures and causes that work like ours', () => {
    const reading = readRules(WHOLE, builtIn)
    if (reading.kind === 'refused') throw new Error(problems(WHOLE).join('\n'))
    expect(reading.warnings).toEqual([])
    expect(reading.causes.map(({ id, kind }) => [id, kind])).toEqual([['license-exhausted', 'death']])
    const find = clueFinder([ours, ...reading.signatures])
    expect(find({ text: 'the License Server is well', stream: 'runner-log' })).toEqual([])
    expect(find({ text: 'license server lic01 refused', stream: 'job-log' })).toEqual([])
    expect(find({ text: 'license server lic01 refused', stream: 'runner-log' })).toMatchObject([
      { signature: 'license-refused', strength: 'strong', groups: { server: 'lic01' }, caution: null },
    ])
  })

  it('reads JSON, with tabs too', () => {
    const json = JSON.stringify(
      {
        apiVersion: 'signalbox.dev/v1alpha1',
        kind: 'Rules',
        signatures: [
          {
            id: 'mine',
            says: 'Mine.',
            patterns: [
              {
                streams: ['event'],
                reasons: ['Killing'],
                regex: 'mount of (?<disk>\\w+)',
                flags: 'i',
                strength: 'weak',
                caution: 'Look twice.',
                examples: { matches: ['Mount of a'], rejects: ['mount'] },
              },
            ],
          },
        ],
      },
      null,
      '\t',
    )
    const reading = readRules(json, builtIn)
    expect(reading).toMatchObject({
      kind: 'read',
      signatures: [
        { id: 'mine', patterns: [{ reasons: ['Killing'], caution: 'Look twice.', literals: ['mount of '] }] },
      ],
    })
  })

  it('lists every mistake at once, each with its place and what to do', () => {
    const text = `${HEAD}${SIGNATURE.replace('strength: strong', 'strenght: strong')}  - id: oom-kill
    says: Twice.
    patterns:
      - streams: [kernal]
        regex: 'x'
        strength: strong
        examples: { matches: ['x'], rejects: ['y'] }
  - id: third
    says: Third.
    patterns:
      - streams: [kernel]
        regex: '(?=a)b'
        strength: strong
        examples: { matches: ['x'], rejects: ['y'] }
${CAUSE.replace('0.9', '1').replace('[logs]', '[log]')}  - id: other
    kind: death
    meaning: m
    for: [{ clue: oom-kil, weight: 0.5 }]
    settledBy: [logs]
    sentence: 'A {pot}.'
    next: [a]
`
    expect(problems(text)).toEqual([
      '7:9 signatures[0].patterns[0].strength is missing',
      expect.stringMatching(/^9:9 unknown key .*strenght → did you mean strength\?$/),
      '13:9 signatures[1].id oom-kill is built in → take another name',
      expect.stringMatching(/^16:19 .*streams\[0\] has an unknown value → did you mean kernel\?$/),
      expect.stringMatching(/^24:16 .*regex is not RE2: .* → RE2 has no lookahead/),
      expect.stringMatching(/^31:44 .*weight is above 0.95/),
      expect.stringMatching(/^33:17 .*settledBy\[0\] has an unknown value → did you mean logs\?$/),
      expect.stringMatching(/^39:19 causes\[1\].for\[0\].clue oom-kil is no signature → did you mean oom-kill\?$/),
      expect.stringMatching(/^41:15 causes\[1\].sentence has \{pot\}, which is not known → known are \{pod\}/),
    ])
  })

  it('refuses a file whose own examples fail, and says which', () => {
    const text = changed(
      "matches: ['license server lic01 refused']",
      "matches: ['license server lic01 refused', 'refused']",
    ).replace('lic01 answered', 'lic01 refused to answer')
    const reading = readRules(text, builtIn)
    expect(reading).toMatchObject({ kind: 'refused', mistakes: [] })
    expect(problems(text)).toEqual([
      expect.stringMatching(/^11:53 .*examples\.matches\[1\] is not matched by the regex/),
      expect.stringMatching(/^12:21 .*examples\.rejects\[0\] is matched by the regex/),
    ])
  })

  it('refuses literals by which a line would be missed', () => {
    const literals = (given: string) =>
      problems(changed('strength: strong', `strength: strong\n        literals: [${given}]`))
    expect(literals('License Server')).toEqual([])
    expect(literals('seat')).toEqual([expect.stringMatching(/^12:21 .*matches\[0\] has none of the literals in it/)])
    expect(literals('lic01')).toEqual([])
    expect(
      problems(
        changed("'license server (?P<server>\\S+) refused'", "'license server|refused'\n        literals: [refused]"),
      ),
    ).toContainEqual(expect.stringMatching(/^9:19 .*literals are not needed/))
  })

  it('warns of a pattern that is tried on most lines', () => {
    const text = changed('strength: strong', 'strength: strong\n        literals: [er]')
    expect(readRules(text, builtIn)).toMatchObject({
      kind: 'read',
      warnings: [{ line: 10, column: 19, message: expect.stringContaining('tried on every line') as string }],
    })
  })

  it('is done in a moment with a file of nothing but keys', () => {
    const before = process.cpuUsage()
    const mistakes = problems(`${HEAD}${Array.from({ length: 20_000 }, (_, index) => `k${index}: v`).join('\n')}`)
    const { user } = process.cpuUsage(before)
    expect(mistakes.length).toBeGreaterThan(20_000)
    expect(user / 1e6).toBeLessThan(10)
  })

  it('never throws, whatever the text', () => {
    const line = fc.constantFrom(
      ...WHOLE.split('\n'),
      '&a',
      '*a',
      '? x',
      '!!binary x',
      '{',
      '"',
      '<<: *a',
      '  - ',
      '\t',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(line, { maxLength: 30 }).map((lines) => HEAD + lines.join('\n')),
      fc.nat({ max: WHOLE.length }).map((end) => WHOLE.slice(0, end)),
    )
    fc.assert(
      fc.property(text, (given) => {
        expect(['read', 'refused']).toContain(readRules(given, builtIn).kind)
      }),
      { numRuns: draws(400) },
    )
  })
})
