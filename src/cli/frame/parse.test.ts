import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draws } from '#test/tiers/long-run.ts'
import type { Group, Leaf } from './command.ts'
import type { Parsed } from './parse.ts'
import { parse } from './parse.ts'

const leaf = (name: string, more: Partial<Leaf> = {}): Leaf => ({
  kind: 'leaf',
  name,
  summary: name,
  description: name,
  examples: [],
  flags: {},
  positionals: [],
  exitCodes: { 0: 'Always.' },
  load: () => Promise.reject(new Error('not run here')),
  ...more,
})
const output = {
  kind: 'option',
  short: 'o',
  value: 'FORMAT',
  summary: '',
  choices: ['table', 'json'],
  default: 'table',
} as const
const root: Group = {
  kind: 'group',
  name: 'box',
  summary: '',
  description: '',
  commands: [
    leaf('doctor', { flags: { output } }),
    leaf('why', {
      flags: { since: { kind: 'option', value: 'AGE', summary: '' } },
      positionals: [{ name: 'POD', summary: 'the pod', required: true }],
    }),
    leaf('shell', { positionals: [{ name: 'SHELL', summary: 'the shell', required: true, choices: ['bash', 'zsh'] }] }),
    leaf('many', { positionals: [{ name: 'X', summary: 'anything', required: false, repeatable: true }] }),
    { kind: 'group', name: 'config', summary: '', description: '', commands: [leaf('print')] },
  ],
}

function parsedSummary(argv: readonly string[]): unknown {
  const parsed: Parsed = parse(argv, root)
  switch (parsed.kind) {
    case 'run': {
      const given = Object.entries(parsed.flags).filter(
        ([, value]) => ![false, undefined].includes(value as never) && String(value) !== '',
      )
      return {
        run: parsed.leaf.name,
        args: parsed.args,
        flags: Object.fromEntries(given.filter(([name]) => name !== 'color')),
      }
    }
    case 'help':
      return { help: parsed.path.at(-1)?.name }
    case 'version':
      return 'version'
    case 'usage':
      return { usage: parsed.message, meant: parsed.meant }
  }
}

const doctor = (flags: Record<string, unknown>) => ({ run: 'doctor', args: [], flags: { output: 'table', ...flags } })

describe('parse', () => {
  it.each<[string[], unknown]>([
    [['doctor'], doctor({})],
    [['doctor', '--output', 'json'], doctor({ output: 'json' })],
    [['doctor', '--output=json'], doctor({ output: 'json' })],
    [['doctor', '-o', 'json'], doctor({ output: 'json' })],
    [['doctor', '-ojson'], doctor({ output: 'json' })],
    [['doctor', '-o=json'], doctor({ output: 'json' })],
    [['-o', 'json', 'doctor'], doctor({ output: 'json' })],
    [['doctor', '-o', 'json', '-o', 'table'], doctor({})],
    [['doctor', '-qA'], doctor({ quiet: true, 'all-namespaces': true })],
    [['doctor', '-qn', 'ci'], doctor({ quiet: true, namespace: ['ci'] })],
    [['-n', 'a', 'doctor', '--namespace=b'], doctor({ namespace: ['a', 'b'] })],
    [['doctor', '--quiet=false'], doctor({})],
    [['doctor', '-q', '--no-quiet'], doctor({})],
    [['doctor', '--no-quiet=false'], doctor({ quiet: true })],
    [['config', 'print'], { run: 'print', args: [], flags: {} }],
    [['why', 'pod-1', '--since', '30d'], { run: 'why', args: ['pod-1'], flags: { since: '30d' } }],
    [['why', '--', '--since'], { run: 'why', args: ['--since'], flags: {} }],
    [['why', '-'], { run: 'why', args: ['-'], flags: {} }],
    [['many', 'a', 'b', 'c'], { run: 'many', args: ['a', 'b', 'c'], flags: {} }],
    [['shell', 'zsh'], { run: 'shell', args: ['zsh'], flags: {} }],
    [['--kubeconfig', '-', 'doctor'], doctor({ kubeconfig: '-' })],
  ])('%j runs', (argv, expected) => {
    expect(parsedSummary(argv)).toEqual(expected)
  })

  it.each<[string[], unknown]>([
    [[], { help: 'box' }],
    [['-h'], { help: 'box' }],
    [['config', '--help'], { help: 'config' }],
    [['doctor', '--nonsense', '-h'], { help: 'doctor' }],
    [['why', '--', '-h'], { run: 'why', args: ['-h'], flags: {} }],
    [['--version'], 'version'],
  ])('%j asks for help or the version', (argv, expected) => {
    expect(parsedSummary(argv)).toEqual(expected)
  })

  it.each<[string[], string, string[]]>([
    [['docter'], 'unknown command: docter', ['doctor']],
    [['config', 'prnt'], 'unknown command: prnt', ['print']],
    [['config'], 'box config needs a command: print', []],
    [['--', 'doctor'], 'unknown command: doctor', ['doctor']],
    [['doctor', '--outptu', 'json'], 'unknown flag: --outptu', ['--output']],
    [['--nmespace', 'ci', 'doctor'], 'unknown flag: --nmespace', ['--namespace']],
    [['doctor', '--no-colour'], 'unknown flag: --no-colour', ['--no-color']],
    [['doctor', '-qz'], 'unknown flag: -z', []],
    [['doctor', '-o', 'jsn'], '-o must be one of table, json, not jsn', ['json']],
    [['doctor', '-o'], '-o needs a value: FORMAT', []],
    [['doctor', '--output='], '--output needs a value: FORMAT', []],
    [['doctor', '-n', '-q'], '-n needs a value: NAME (write a value that starts with a dash as -n=NAME)', []],
    [['doctor', '--quiet=maybe'], '--quiet takes only true or false', []],
    [['doctor', '-A', '-n', 'x'], '-A cannot be combined with -n', []],
    [['doctor', '-q', '-v'], '-v cannot be combined with -q', []],
    [['doctor', '--since', '1d'], '--since is not a flag of box doctor', []],
    [['doctor', '--version'], '--version is not a flag of box doctor', []],
    [['doctor', 'x'], 'unexpected argument: x', []],
    [['why'], 'POD is required: the pod', []],
    [['shell'], 'SHELL is required: the shell (bash, zsh)', []],
    [['shell', 'bassh'], 'SHELL must be one of bash, zsh, not bassh', ['bash']],
    [['constructor'], 'unknown command: constructor', []],
    [['doctor', '--__proto__'], 'unknown flag: --__proto__', []],
  ])('%j is refused', (argv, usage, meant) => {
    expect(parsedSummary(argv)).toEqual({ usage, meant })
  })

  const token = fc.oneof(
    fc.constantFrom(
      'doctor',
      'config',
      'print',
      'why',
      '-n',
      '-A',
      '-o',
      'json',
      '--output=json',
      '--',
      '-',
      '-h',
      '--no-color',
      '-qv',
      '=',
    ),
    fc.string({ maxLength: 12 }),
    fc.string({ maxLength: 8 }).map((text) => `--${text}`),
    fc.string({ maxLength: 4 }).map((text) => `-${text}`),
  )

  it('answers any command line, and never throws', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (argv) => {
        const parsed = parse(argv, root)
        if (parsed.kind === 'usage') expect(parsed.message).not.toBe('')
        if (parsed.kind === 'run') expect(parsed.path.at(-1)).toBe(parsed.leaf)
      }),
      { numRuns: draws(2000) },
    )
  })

  it('takes everything after -- literally', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 6 }), (rest) => {
        expect(parse(['many', '--', ...rest], root)).toMatchObject({ kind: 'run', args: rest })
      }),
    )
  })

  it('reads a value the same in each spelling', () => {
    const value = fc
      .string({ minLength: 1, maxLength: 12 })
      .filter((text) => !text.startsWith('-') && !text.startsWith('='))
    fc.assert(
      fc.property(value, (text) => {
        const spellings = [['-n', text], [`-n${text}`], [`-n=${text}`], ['--namespace', text], [`--namespace=${text}`]]
        for (const spelling of spellings) {
          expect(parse(['doctor', ...spelling], root)).toMatchObject({ kind: 'run', flags: { namespace: [text] } })
        }
      }),
    )
  })

  it('accepts flags at any position', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([['-A'], ['-q'], ['-o', 'json'], ['--data', 'x']]), fc.nat(4), (flags, at) => {
        const place = Math.min(at, flags.length)
        const argv = [...flags.slice(0, place).flat(), 'doctor', ...flags.slice(place).flat()]
        const plain = ['doctor', ...flags.flat()]
        expect(parse(argv, root)).toEqual(parse(plain, root))
      }),
    )
  })
})
