import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { root } from '#/cli/commands.ts'
import { visible } from './command.ts'
import { complete } from './complete.ts'

const values = (words: readonly string[]): readonly string[] =>
  complete(words, root).candidates.map(({ value }) => value)

describe('complete', () => {
  it.each<[string[], string[]]>([
    [['conf'], ['config']],
    [['config', 'p'], ['print']],
    [['config', 'print', 'x'], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['completion', 'bash', ''], []],
    [['help', ''], visible(root.commands).map(({ name }) => name)],
    [
      ['help', 'config', ''],
      ['print', 'schema'],
    ],
    [['help', 'doctor', ''], []],
    [
      ['doctor', '-o', ''],
      ['table', 'json', 'yaml', 'markdown'],
    ],
    [
      ['version', '-o', ''],
      ['table', 'json', 'yaml'],
    ],
    [
      ['version', '--output='],
      ['--output=table', '--output=json', '--output=yaml'],
    ],
    [
      ['version', '--quiet='],
      ['--quiet=true', '--quiet=false'],
    ],
    [['-q', 'versio'], ['version']],
    [['version', '--', '--out'], []],
    [['version', '--no'], ['--no-color']],
  ])('%j offers %j', (words, expected) => {
    expect(values(words)).toEqual(expected)
  })

  it('does not offer hidden commands', () => {
    expect(values(['__'])).toEqual([])
  })

  it('offers a flag again only if it may be repeated', () => {
    expect(values(['doctor', '-o', 'json', '-n', 'x', '--'])).toContain('--namespace')
    expect(values(['doctor', '-o', 'json', '-n', 'x', '--'])).not.toContain('--output')
  })

  it.each<[string[], string]>([
    [['--config', ''], 'file'],
    [['--data', ''], 'folder'],
    [['--data='], 'folder'],
    [['-n', ''], 'none'],
  ])('%j leaves %s to the shell', (words, also) => {
    expect(complete(words, root).also).toBe(also)
  })

  it('never throws, and offers only what continues the word', () => {
    const word = fc.oneof(
      fc.constantFrom('doctor', 'config', '-o', '--output', '--', '-', '--config=', 'help'),
      fc.string({ maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        for (const value of values(words)) expect(value.startsWith(words.at(-1) ?? '')).toBe(true)
      }),
    )
  })
})
