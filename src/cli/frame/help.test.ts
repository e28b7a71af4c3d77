import { describe, expect, it } from 'vitest'
import type { Group, Leaf } from './command.ts'
import { help } from './help.ts'

const why: Leaf = {
  kind: 'leaf',
  name: 'why',
  summary: 'Why a runner died',
  description: 'Says why a runner died.',
  examples: [{ line: 'box why pod-1', what: 'One pod' }],
  flags: {
    output: {
      kind: 'option',
      short: 'o',
      value: 'FORMAT',
      summary: 'The form',
      choices: ['table', 'json'],
      default: 'table',
    },
    loud: { kind: 'switch', summary: 'A summary that is too long for one line of this narrow window' },
  },
  positionals: [
    { name: 'POD', summary: 'The pod', required: true },
    { name: 'MORE', summary: 'Others', required: false, repeatable: true },
  ],
  exitCodes: { 1: 'It is not known.', 0: 'It is known.' },
  load: () => Promise.reject(new Error('not run here')),
}
const root: Group = {
  kind: 'group',
  name: 'box',
  summary: 'A box',
  description: 'A box of signals.',
  commands: [why, { ...why, name: '__hidden', hidden: true }],
}

/** What stands under a heading. */
const part = (text: string, title: string): string => text.split(`\n${title}:\n`)[1]?.split('\n\n')[0] ?? ''

describe('help', () => {
  const text = help([root, why], { columns: 60 })

  it('shows the usage', () => {
    expect(part(text, 'Usage')).toBe('  box why POD [MORE...] [flags]')
    expect(part(text, 'Arguments')).toBe('  POD    The pod\n  MORE   Others')
  })

  it('shows flags with their choices and default, wrapped under their column', () => {
    expect(part(text, 'Flags')).toBe(
      [
        '  -o, --output FORMAT   The form: table, json (default',
        '                        table)',
        '      --loud            A summary that is too long for one',
        '                        line of this narrow window',
      ].join('\n'),
    )
  })

  it('shows examples, and exit codes in order', () => {
    expect(part(text, 'Examples')).toBe('  # One pod\n  box why pod-1')
    expect(part(`${text}\n`, 'Exit codes')).toBe('  0   It is known.\n  1   It is not known.')
  })

  it('lists visible commands', () => {
    const overview = help([root], { columns: 80 })
    expect(part(overview, 'Commands')).toBe('  why   Why a runner died')
    expect(overview).toContain('--no-color')
    expect(overview).toContain('--version')
    expect(text).not.toContain('--version')
  })

  it('never exceeds the terminal width', () => {
    for (const columns of [40, 60, 100]) {
      const widest = Math.max(
        ...help([root], { columns })
          .split('\n')
          .map((line) => line.length),
      )
      expect(widest).toBeLessThanOrEqual(Math.max(columns, 55))
    }
  })
})
