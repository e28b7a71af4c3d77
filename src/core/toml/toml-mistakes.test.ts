import { describe, expect, it } from 'vitest'
import { LARGEST_TOML, parseToml } from './parse-toml.ts'

function refused(text: string): string {
  const reading = parseToml(text)
  return reading.kind === 'refused' ? `${reading.line}:${reading.column} ${reading.message}` : 'read'
}

describe('a text that is not TOML', () => {
  it.each<[string, string]>([
    ['a = 1\na = 2', '2:1 a is there already, in line 1'],
    ['[a]\n[b]\n[a]', '3:2 a is there already, in line 1'],
    ['[a]\nb = 1\n[a.b]', '3:4 a.b is there already, in line 2'],
    ['[a.b]\n[a]\nb.c = 1', '3:1 b is there already, in line 1'],
    ['[a]\nb.c = 1\n[a.b]', '3:4 a.b is there already, in line 2'],
    ['a = { b = 1 }\n[a.c]', '2:2 a is a value: nothing can be put into it'],
    ['a = { b = 1 }\na.c = 2', '2:1 a is there already, in line 1'],
    ['a = [{}]\n[[a]]', '2:3 a is a list of tables here, and it was something else in line 1'],
    ['[a]\n[[a]]', '2:3 a is a list of tables here, and it was something else in line 1'],
    ['[[a]]\n[a]', '2:2 a is there already, in line 1'],
    ['a = 1\na.b = 2', '2:1 a is there already, in line 1'],
    ['a = { b = 1, b = 2 }', '1:14 b is there already, in line 1'],
    ['a = 1 b = 2', '1:7 there is "b" behind the value on the same line'],
    ['[a] b = 1', '1:5 there is "b" behind the header on the same line'],
    ['a 1', '1:3 an equals sign is missing: there is "1"'],
    ['\uFEFFa 1', '1:3 an equals sign is missing: there is "1"'],
    ['a', '1:2 an equals sign is missing: there is the end of the file'],
    ['a =', '1:4 a value is missing: there is the end of the file'],
    ['a = \n', '1:5 a value is missing: there is the end of the line'],
    ['= 1', '1:1 a key is missing: there is "="'],
    ['a. = 1', '1:4 a key is missing: there is "="'],
    ['é = 1', '1:1 a key is missing: there is "é"'],
    ['"""a""" = 1', '1:1 a key is written on one line'],
    ['[]', '1:2 a key is missing: there is "]"'],
    ['[a', '1:3 ] is missing: there is the end of the file'],
    ['[[a]', '1:4 ]] is missing: there is "]"'],
    ['[[a] ]', '1:4 ]] is missing: there is "]"'],
    ['a = [1 2]', '1:8 a comma or ] is missing: there is "2"'],
    ['a = [1,\n', '1:5 the list has no closing ]'],
    ['a = [1\n', '1:5 the list has no closing ]'],
    ['a = [,]', '1:6 a value is missing: there is ","'],
    ['a = { b = 1, }', '1:14 no comma may stand before }'],
    ['a = { b = 1', '1:12 a comma or } is missing: there is the end of the file'],
    ['a = {\nb = 1 }', '1:6 a key is missing: there is the end of the line'],
    ['a = "b', '1:5 the text has no closing "'],
    ['a = "b\n"', '1:5 the text has no closing "'],
    ["a = '", "1:5 the text has no closing '"],
    ['a = """b', '1:5 the text has no closing """'],
    ['a = """b""""""', '1:9 there are 6 quotes in a row'],
    [String.raw`a = "\d"`, String.raw`1:6 there is no escape \d; write \\ for a backslash, or use single quotes`],
    [String.raw`a = "\u12"`, String.raw`1:6 \u names no character`],
    [String.raw`a = "\uD800"`, String.raw`1:6 \u names no character`],
    [String.raw`a = "\U00110000"`, String.raw`1:6 \U names no character`],
    ['a = "\u0001"', String.raw`1:6 a control character has to be written as \uXXXX`],
    ["a = '''\u007F'''", String.raw`1:8 a control character has to be written as \uXXXX`],
    ['a = """\r"""', String.raw`1:8 a control character has to be written as \uXXXX`],
    ['# a\u0001', '1:4 a control character may not stand in a comment'],
    ['a = 1\rb = 2', '1:6 there is the end of the line behind the value on the same line'],
    ['a = 01', '1:5 a number may not begin with 0'],
    ['a = 1__0', '1:5 this is neither a number nor a date; a text needs quotes'],
    ['a = 1.', '1:5 this is neither a number nor a date; a text needs quotes'],
    ['a = .5', '1:5 this is neither a number nor a date; a text needs quotes'],
    ['a = 1e', '1:5 this is neither a number nor a date; a text needs quotes'],
    ['a = 500m', '1:5 this is neither a number nor a date; a text needs quotes'],
    ['a = -0x1', '1:5 this is neither a number nor a date; a text needs quotes'],
    ['a = 9223372036854775808', '1:5 the number does not fit into 64 bits'],
    ['a = -9223372036854775809', '1:5 the number does not fit into 64 bits'],
    ['a = True', '1:5 write true in small letters'],
    ['a = alpine', '1:5 a text needs quotes'],
    ['a = 1979-13-01', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 1900-02-29', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 1979-05-00', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 24:00:00', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 07:60:00', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 07:32', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 07:32:00Z', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 07:32:61', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 1979-05-27Z', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 1979-05-27T', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
    ['a = 1979-05-27T07:32:00+24:00', '1:5 this is no date or time like 2026-06-06T21:40:00Z'],
  ])('refuses %j at its place', (text, message) => {
    expect(refused(text)).toBe(message)
  })

  it.each<[string, string, RegExp]>([
    ['lists', `a = ${'['.repeat(400_000)}`, /^1:105 brackets nest deeper than 100$/],
    ['tables in braces', `a = ${'{a='.repeat(300_000)}`, /nest deeper/],
    ['dots in braces', `a = ${`{${'a.'.repeat(60)}a = `.repeat(100)}`, /nest deeper/],
    ['dots', `${'a.'.repeat(400_000)}a = 1`, /^1:1 the key has more than 100 parts$/],
    ['headers', `[${'a.'.repeat(400_000)}a]`, /more than 100 parts/],
  ])('refuses the depth of %s and does not fall into it', (_, text, message) => {
    expect(refused(text)).toMatch(message)
  })

  it('refuses more than a mebibyte', () => {
    expect(refused('#'.repeat(LARGEST_TOML))).toBe('read')
    expect(refused('#'.repeat(LARGEST_TOML + 1))).toMatch(/^1:1 the file is larger than/)
  })

  it.each<[string, (count: number) => string]>([
    ['keys', (count) => Array.from({ length: count }, (_, index) => `k${index} = 1`).join('\n')],
    ['headers', (count) => Array.from({ length: count }, (_, index) => `[k${index}]`).join('\n')],
    ['dotted keys', (count) => Array.from({ length: count }, (_, index) => `a.k${index} = 1`).join('\n')],
    ['folds', (count) => `a = """${'\\\n '.repeat(count)}"""`],
    ['a number', (count) => `a = ${'1_'.repeat(count)}x`],
    ['digits', (count) => `a = ${'1'.repeat(count * 10)}`],
  ])('is done in a moment with a mebibyte of %s', (_, makeText) => {
    const before = process.cpuUsage()
    parseToml(makeText(60_000))
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5)
  })

  it('prints nothing of the text but one character', () => {
    for (const text of ['token = glrt-secret', 'token = "glrt-secret', 'token "glrt-secret"', 'token = 1glrt-secret']) {
      expect(refused(text)).not.toContain('secret')
    }
  })
})
