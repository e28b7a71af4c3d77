import type { Chance } from '#test/bundles/mutate-chance.ts'
import type { FleetChange } from './mutated-fleet.ts'

/** Lines that replace a line, follow one, or are appended: valid and invalid in every way of the language. */
const TOML_LINES = [
  '[',
  '[[',
  ']]',
  '[runners]',
  '[[runners]]',
  '[[runners.kubernetes]]',
  '[runners.kubernetes.kubernetes]',
  '[__proto__]',
  '[runners.__proto__.constructor]',
  '__proto__ = { polluted = true }',
  'constructor.prototype.polluted = 1',
  '"" = 1',
  `${'a.'.repeat(5000)}a = 1`,
  `x = ${'['.repeat(5000)}${']'.repeat(5000)}`,
  `x = ${'['.repeat(5000)}`,
  `x = ${'{a='.repeat(3000)}1${'}'.repeat(3000)}`,
  `[${'a.'.repeat(3000)}a]`,
  'concurrent = -1',
  'concurrent = 99999999999999999999999999',
  'concurrent = 1__0',
  'concurrent = 0x',
  'concurrent = nan',
  'concurrent = +inf',
  'concurrent = 1e999',
  'check_interval = "1"',
  'when = 9999-99-99T99:99:99Z',
  'when = 1979-05-27 07:32:00',
  'text = "unclosed',
  "text = 'unclosed",
  'text = """unclosed\n\n',
  String.raw`text = "\uD800 \U00110000 \q"`,
  'text = "\u0000\u001b[2J\u202e"',
  `text = "${'x'.repeat(100_000)}"`,
  '#'.repeat(100_000),
  `${' '.repeat(100_000)}=`,
  '= 1',
  'a = 1 b = 2',
  'a = 1\na = 2',
  'a = [1, 2,, 3]',
  'a = { b = 1, }',
  'a = { b = 1\n}',
  '[runners.kubernetes.pod_spec]',
  '  [[runners.kubernetes.pod_spec]]\n    patch = """{"containers":[{"name":"build"}]}"""',
  '  [runners.kubernetes.resources.limits]\n    memory = "1Gi"',
  '  cpu_limit = 7',
  '  nmaespace = "typo"',
  '\uFEFFconcurrent = 1',
  '\r\r\r',
]

const YAML_LINES = [
  '  thresholds: { podStart: -5m }',
  '  thresholds: { podStart: 99999999999999d }',
  '  thresholds: { podSlots: .nan }',
  '  thresholds: { podSlots: .inf, starved: 1e999 }',
  '  thresholds: { __proto__: 1, constructor: 2 }',
  '  lanes: []',
  '  lanes: 7',
  '  lanes: [{ label: __proto__ }]',
  '  lanes: [{ label: linux-x64, declaredMax: -1 }]',
  '  lanes: [{ label: linux-x64, declaredMax: 1e300, envelope: { __proto__: 3, constructor: -1 } }]',
  `  lanes: [${Array.from({ length: 500 }, (_, index) => `{ label: l${index}, scaleSets: [linux-x64] }`).join(', ')}]`,
  '  nodePools: [{ name: __proto__, selector: { a: b }, role: baseline }]',
  '  nodePools: [{ name: a, selector: {}, role: overflow }, { name: a, selector: {}, role: excluded }]',
  '  owners: [{ name: "" }]',
  '  pullSecrets: [{ name: x, authoritative: { namespace: a }, copies: [] }]',
  '  cache: { env: [__proto__], cacheName: "" }',
  '  releases: [{ component: "a:b@c", declared: "((((", fixedIn: "" }]',
  '  gitlab: { role: king }',
  '  unknown: yes',
  'spec: 7',
  'spec: null',
  'kind: Fleet2',
  '---\nsecond: document',
  '%YAML 9.9',
  '!!js/function "x"',
  '? [a, b]\n: c',
  'a: *missing',
  'a: &a [*a]',
  `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]`,
  `deep: ${'['.repeat(3000)}${']'.repeat(3000)}`,
  `deep: ${'{a: '.repeat(1000)}1${'}'.repeat(1000)}`,
  '\tspec: tab',
  'text: "\u0000\u001b[2J"',
  `text: ${'x'.repeat(100_000)}`,
  '  - - - - -',
  '"unclosed',
  '<<: { spec: 7 }',
]

function otherLine(lines: readonly string[]) {
  return (text: string, chance: Chance): string => {
    const rows = text.split('\n')
    const line = chance.pick(lines)
    const index = chance.int(rows.length)
    if (chance.isOneIn(3)) return [...rows, line, ''].join('\n')
    return (chance.isOneIn(2) ? rows.with(index, line) : rows.toSpliced(index, 0, line)).join('\n')
  }
}

function swapTokens(text: string, chance: Chance): string | null {
  const tokens = [...text.matchAll(/[\w-]+|["[\]{}=:,]/g)]
  if (tokens.length < 2) return null
  const [one, two] = [chance.pick(tokens), chance.pick(tokens)]
  return `${text.slice(0, one.index)}${two[0]}${text.slice(one.index + one[0].length)}`
}

export const CONFIG_CHANGES: readonly FleetChange[] = [
  { name: 'a line of TOML', weight: 10, fits: /\.toml$/, change: otherLine(TOML_LINES) },
  { name: 'a line of YAML', weight: 10, fits: /\.yaml$/, change: otherLine(YAML_LINES) },
  { name: 'another word', weight: 8, fits: /\.(?:toml|yaml)$/, change: swapTokens },
]
