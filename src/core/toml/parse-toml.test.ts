import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draws } from '#test/tiers/long-run.ts'
import { parseToml } from './parse-toml.ts'
import type { TomlTable, TomlValue } from './toml-value.ts'

/** As plain values; a time as its form and text. */
function plain(value: TomlValue): unknown {
  switch (value.kind) {
    case 'list':
      return value.items.map(plain)
    case 'table':
      return Object.fromEntries([...value.entries].map(([key, entry]) => [key, plain(entry.value)]))
    case 'time':
      return `${value.form} ${value.value}`
    default:
      return value.value
  }
}

function read(text: string): TomlTable {
  const reading = parseToml(text)
  if (reading.kind === 'refused') throw new Error(`${reading.line}:${reading.column} ${reading.message}`)
  return reading.root
}

describe('parseToml', () => {
  it.each<[string, unknown]>([
    ['', {}],
    ['\uFEFFa = 1', { a: 1n }],
    ['# only a comment', {}],
    ['a = 1 # one\r\nb = 2\r\n', { a: 1n, b: 2n }],
    ['a.b.c = 1\na.b.d = 2', { a: { b: { c: 1n, d: 2n } } }],
    ['"a b".\'c.d\' = 1', { 'a b': { 'c.d': 1n } }],
    ['"" = 1', { '': 1n }],
    ['__proto__ = 1', Object.fromEntries([['__proto__', 1n]])],
    ['1234 = 1\n-_- = 2', { '1234': 1n, '-_-': 2n }],
    ['[a.b]\nc = 1\n[a]\nd = 2', { a: { b: { c: 1n }, d: 2n } }],
    ['[ a . "b" ]', { a: { b: {} } }],
    ['[[a]]\nb = 1\n[[a]]\n[a.c]\nd = 2', { a: [{ b: 1n }, { c: { d: 2n } }] }],
    ['[[a]]\n[[a.b]]\nc = 1\n[[a.b]]\nc = 2', { a: [{ b: [{ c: 1n }, { c: 2n }] }] }],
    ['[a]\nb.c = 1\n[a.b.d]\ne = 2', { a: { b: { c: 1n, d: { e: 2n } } } }],
    ['a = { b = 1, c.d = 2, e = [1,\n2] }', { a: { b: 1n, c: { d: 2n }, e: [1n, 2n] } }],
    ['a = {}', { a: {} }],
    ['a = [\n  1, # one\n  "x",\n]', { a: [1n, 'x'] }],
    ['a = [[], [{}]]', { a: [[], [{}]] }],
  ])('reads %j', (text, value) => {
    expect(plain(read(text))).toEqual(value)
  })

  it.each<[string, unknown]>([
    ['+99', 99n],
    ['-0', 0n],
    ['1_000', 1000n],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['0xDead_Beef', 0xdeadbeefn],
    ['0o755', 0o755n],
    ['0b1101', 13n],
    ['3.14', 3.14],
    ['-0.0', -0],
    ['5e+22', 5e22],
    ['6.626e-3_4', 6.626e-34],
    ['inf', Infinity],
    ['-inf', -Infinity],
    ['+nan', Number.NaN],
    ['true', true],
    ['false', false],
    ['1979-05-27T07:32:00Z', 'offset-date-time 1979-05-27T07:32:00Z'],
    ['1979-05-27 00:32:00.999-07:00', 'offset-date-time 1979-05-27 00:32:00.999-07:00'],
    ['1979-05-27t07:32:00', 'local-date-time 1979-05-27t07:32:00'],
    ['2000-02-29', 'local-date 2000-02-29'],
    ['07:32:00.5', 'local-time 07:32:00.5'],
    [String.raw`"a\tb\"c\\d\u00E9\U0001F600"`, 'a\tb"c\\dé😀'],
    [String.raw`'C:\no\escapes'`, String.raw`C:\no\escapes`],
    ['""', ''],
    ['"""\nfirst break goes\n"""', 'first break goes\n'],
    ['"""a ""quoted"" b"""', 'a ""quoted"" b'],
    ['"""two at the end"""""', 'two at the end""'],
    ['"""fold \\\n\n   ed"""', 'fold ed'],
    ['"""fold \\  \r\n ed"""', 'fold ed'],
    ["'''\nraw \\ ''text'''", "raw \\ ''text"],
    ["'''it is'''''", "it is''"],
  ])('reads the value %s', (text, value) => {
    expect(plain(read(`a = ${text}`))).toEqual({ a: value })
  })

  it('knows where each key, value and header stands', () => {
    const text = '[[a]]\n  [a.b]\n    "c" = 1\n  d.e = { f = "x" }\n'
    const reading = parseToml(text)
    if (reading.kind === 'refused') throw new Error(reading.message)
    const places: string[] = []
    const walk = (value: TomlValue, name: string): void => {
      const { line, column } = reading.findPlace(value.at)
      places.push(`${name}@${line}:${column}`)
      if (value.kind === 'list') value.items.forEach((item, index) => walk(item, `${name}[${index}]`))
      if (value.kind !== 'table') return
      for (const [key, entry] of value.entries) {
        const at = reading.findPlace(entry.at)
        places.push(`${name}.${key}#${at.line}:${at.column}`)
        walk(entry.value, `${name}.${key}`)
      }
    }
    walk(reading.root, '')
    expect(places).toEqual([
      '@1:1',
      '.a#1:3',
      '.a@1:1',
      '.a[0]@1:1',
      '.a[0].b#2:6',
      '.a[0].b@2:3',
      '.a[0].b.c#3:5',
      '.a[0].b.c@3:11',
      '.a[0].b.d#4:3',
      '.a[0].b.d@4:3',
      '.a[0].b.d.e#4:5',
      '.a[0].b.d.e@4:9',
      '.a[0].b.d.e.f#4:11',
      '.a[0].b.d.e.f@4:15',
    ])
  })

  it('reads back whatever was printed', () => {
    const key = fc.oneof(fc.stringMatching(/^[a-z0-9_-]{1,6}$/), fc.string({ unit: 'grapheme', maxLength: 5 }))
    const scalar = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.boolean(),
    )
    const { value } = fc.letrec<{ value: unknown; table: Readonly<Record<string, unknown>> }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, scalar, fc.array(tie('value'), { maxLength: 4 }), tie('table')),
      table: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    }))
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 5 }), (document) => {
        const text = Object.entries(document)
          .map(([name, one]) => `${JSON.stringify(name)} = ${printed(one)}`)
          .join('\n')
        expect(plain(read(text))).toEqual(document)
      }),
      { numRuns: draws(300) },
    )
  })

  it('never throws, and names a place inside the text', () => {
    const piece = fc.constantFrom(
      '[a]',
      '[[a]]',
      '[a.b]',
      'a = 1',
      'a.b = {',
      '}',
      '"',
      '"""',
      "'''",
      '[',
      ']',
      '=',
      ',',
      '\\',
      '#',
      '\r',
      '\n',
      '1979-05-27',
      ' 07:32:00',
      '0x',
      '_',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('\n')),
    )
    fc.assert(
      fc.property(text, (given) => {
        const reading = parseToml(given)
        if (reading.kind === 'read') return
        const lines = given.split('\n')
        expect(reading.line).toBeLessThanOrEqual(lines.length)
        expect(reading.column).toBeLessThanOrEqual((lines[reading.line - 1] ?? '').length + 1)
        expect(reading.column).toBeGreaterThan(0)
      }),
      { numRuns: draws(1000) },
    )
  })
})

/** JSON's escapes are TOML's, but for the slash, which it does not escape, and DEL, which it leaves. */
function printed(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007F', String.raw`\u007F`)
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)} = ${printed(one)}`)
    .join(', ')} }`
}
