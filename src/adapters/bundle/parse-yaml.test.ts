import { describe, expect, it } from 'vitest'
import { seen } from '#/core/basics/observed.ts'
import { parseYaml } from './parse-yaml.ts'

describe('YAML', () => {
  it.each([
    ['an alias without an anchor', 'a: *nowhere'],
    [
      'a bomb of aliases',
      Array.from({ length: 9 }, (_, n) => `x${n}: &x${n} [${n === 0 ? 1 : `*x${n - 1},`.repeat(9)}]`).join('\n'),
    ],
    ['an open bracket', 'a: ['],
    ['a list', '- a'],
    ['a tab', 'a:\n\tb: 1'],
    ['a key that is there twice', 'a: 1\nb: {c: 1, c: 2}'],
  ])('is malformed for %s', async (_, text) => {
    expect(await parseYaml(seen(text))).toMatchObject({ kind: 'blind', reason: { code: 'malformed' } })
  })

  it('is read in a moment where there are nothing but keys', async () => {
    const text = Array.from({ length: 30_000 }, (_, index) => `key${index}: v`).join('\n')
    const before = process.cpuUsage()
    expect((await parseYaml(seen(text))).kind).toBe('seen')
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10)
  })

  it('is read with its aliases', async () => {
    expect(await parseYaml(seen('a: &a {b: 1}\nc: *a'))).toEqual(seen({ a: { b: 1 }, c: { b: 1 } }))
  })
})
