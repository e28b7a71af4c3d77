import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromFile } from '#/config/file.ts'
import { draws } from '#test/tiers/long-run.ts'

const problems = (text: string): unknown =>
  fromFile('f.yaml', text).problems.map(({ where, message, meant }) => [where, message, meant.join()])

describe('fromFile', () => {
  it('gives each setting with its line', () => {
    const { entries } = fromFile(
      'f.yaml',
      '# mine\nlisten: 127.0.0.1:1\ngithub:\n  app:\n    id: 17\n  owners: [a, b]\n',
    )
    expect(entries.map(({ path, value, origin }) => [path, value, origin])).toEqual([
      ['listen', '127.0.0.1:1', { kind: 'file', file: 'f.yaml', line: 2 }],
      ['github.app.id', 17, { kind: 'file', file: 'f.yaml', line: 5 }],
      ['github.owners', ['a', 'b'], { kind: 'file', file: 'f.yaml', line: 6 }],
    ])
  })

  it.each(['', '# nothing\n', 'github:\n', 'github: {}\n', '---\n'])('takes %j for an empty file', (text) => {
    expect(fromFile('f.yaml', text)).toEqual({ entries: [], problems: [] })
  })

  it('lists every unknown key with its place and suggestions', () => {
    expect(problems('lisen: x\ngithub:\n  tokn: x\n  app: {idd: 1}\nzzz: 1\n')).toEqual([
      ['f.yaml:1:1', 'no such setting: lisen', 'listen'],
      ['f.yaml:3:3', 'no such setting: github.tokn', 'token'],
      ['f.yaml:4:9', 'no such setting: github.app.idd', 'id'],
      ['f.yaml:5:1', 'no such setting: zzz', ''],
    ])
  })

  it('never shows the value of an unknown key', () => {
    expect(JSON.stringify(problems('tokenn: ghp_secret\n'))).not.toContain('secret')
  })

  it.each<[string, string, RegExp]>([
    ['github: 3\n', 'f.yaml:1:9', /github must be a group of settings/],
    ['- a\n', 'f.yaml:1:1', /the file must be a group/],
    ['data:\n', 'f.yaml:1:1', /data has no value/],
    ['data: a\ndata: b\n', 'f.yaml:2:1', /data is defined twice/],
    ['github:\n  token: a\n  token: b\n', 'f.yaml:3:3', /github\.token is defined twice/],
    ['github: {}\n"github": {}\n', 'f.yaml:2:1', /github is defined twice/],
    ['data: [a\n', 'f.yaml:2:1', /Flow sequence/],
    ['data: &x a\nlisten: *x\n', 'f.yaml:2:9', /aliases/],
    ['data: a\n---\ndata: b\n', 'f.yaml:2:1', /multiple documents/],
    ['1: x\n', 'f.yaml:1:1', /no such setting: 1/],
    ['? [a]\n: x\n', 'f.yaml:1:3', /no such setting/],
  ])('%j is refused', (text, where, message) => {
    const [problem] = fromFile('f.yaml', text).problems
    expect(problem?.where).toBe(where)
    expect(problem?.message).toMatch(message)
  })

  it('reads a file with very many keys quickly', () => {
    const text = Array.from({ length: 30_000 }, (_, index) => `key${index}: v`).join('\n')
    const before = process.cpuUsage()
    expect(fromFile('f.yaml', text).problems.length).toBe(30_000)
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10)
  })

  it('never throws, whatever the text', () => {
    const line = fc.constantFrom(
      'github:',
      '  app:',
      '    id: 1',
      'data: x',
      '- a',
      '&a',
      '*a',
      '? x',
      '!!binary x',
      '{',
      '"',
      '<<: *a',
      ': :',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n')),
        ),
        (text) => {
          expect(Array.isArray(fromFile('f.yaml', text).entries)).toBe(true)
        },
      ),
      { numRuns: draws(500) },
    )
  })
})
