import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draws } from '#test/tiers/long-run.ts'
import { checkFleet } from './check-fleet.ts'

const HEAD = 'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\n'

/** A valid fleet file. */
const WHOLE = `${HEAD}spec:
  runnerNamespaces: [arc-runners, arc-heavy]
  nodePools:
    - { name: base, selector: { pool: base }, role: baseline }
    - { name: burst, selector: { pool: burst }, role: overflow }
  lanes:
    - { label: linux, scaleSets: [linux], declaredMax: 20, envelope: { base: 12, burst: 8 } }
    - { label: heavy, scaleSets: [arc-heavy/heavy] }
  owners:
    - { name: team-a, namespaces: [arc-runners] }
    - { name: team-b, scaleSets: [arc-heavy/heavy] }
  pullSecrets:
    - { name: ghcr, authoritative: { namespace: arc-runners }, copies: [{ namespace: arc-systems }] }
  releases:
    - { component: ghcr.io/actions/actions-runner, declared: 2.336.0 }
`

function findings(text: string): readonly string[] {
  const check = checkFleet(text)
  if (check.kind === 'right') return []
  return check.mistakes.map(
    ({ line, column, message, advice }) => `${line}:${column} ${message}${advice === null ? '' : ` → ${advice}`}`,
  )
}

function changed(part: string, by: string): string {
  if (!WHOLE.includes(part)) throw new Error(`${part} is not there`)
  return WHOLE.replace(part, by)
}

describe('checkFleet', () => {
  it('finds nothing in a valid file', () => {
    expect(findings(WHOLE)).toEqual([])
  })

  it.each<[string, string, string, RegExp]>([
    [
      'an unknown pool',
      'envelope: { base: 12, burst: 8 }',
      'envelope: { base: 12, brust: 8 }',
      /^9:82 spec\.lanes\[0\]\.envelope\.brust is not in nodePools → did you mean burst\?$/,
    ],
    ['a pool without a similar name', 'burst: 8 }', 'zzzzz: 8 }', /is not in nodePools → known: base, burst$/],
    [
      'a sum below the maximum',
      'base: 12, burst',
      'base: 10, burst',
      /^9:56 spec\.lanes\[0\]\.declaredMax is 20, but the envelope adds up to 18 → make them equal/,
    ],
    ['a sum above the maximum', 'declaredMax: 20', 'declaredMax: 19', /is 19, but the envelope adds up to 20/],
    [
      'an empty selector',
      'selector: { pool: base }',
      'selector: {}',
      /^6:31 spec\.nodePools\[0\]\.selector is empty: every node/,
    ],
    [
      'the same nodes',
      'selector: { pool: burst }',
      'selector: { pool: base }',
      /^7:32 .*selector selects the same nodes as another pool/,
    ],
    ['a pool twice', 'name: burst', 'name: base', /^7:15 spec\.nodePools\[1\]\.name base is a duplicate pool name/],
    ['a label twice', 'label: heavy', 'label: LINUX', /^10:16 spec\.lanes\[1\]\.label linux is a duplicate lane label/],
    [
      'a set in two lanes',
      'scaleSets: [arc-heavy/heavy] }\n  owners',
      'scaleSets: [linux] }\n  owners',
      /^10:35 .*scaleSets\[0\] linux is already listed → a lane without scaleSets includes/,
    ],
    [
      'a set twice in a lane',
      'scaleSets: [linux]',
      'scaleSets: [linux, linux]',
      /^9:42 .*scaleSets\[1\] linux is already listed/,
    ],
    [
      'a set with and without its namespace',
      'scaleSets: [linux]',
      'scaleSets: [linux, arc-runners/linux]',
      /arc-runners\/linux is already listed/,
    ],
    [
      'a set without and with its namespace',
      'scaleSets: [linux]',
      'scaleSets: [arc-runners/linux, linux]',
      /scaleSets\[1\] linux is already listed/,
    ],
    ['an invalid name', 'scaleSets: [linux]', 'scaleSets: [a/b/c]', /a\/b\/c is neither the name of a scale set nor/],
    ['an incomplete name', 'scaleSets: [linux]', 'scaleSets: [arc-runners/]', /is neither the name/],
    [
      'an unknown namespace',
      'scaleSets: [linux]',
      'scaleSets: [arc-runner/linux]',
      /arc-runner is not in runnerNamespaces → did you mean arc-runners\?/,
    ],
    [
      'an owner without anything',
      ', namespaces: [arc-runners]',
      '',
      /^12:7 spec\.owners\[0\] owns nothing → add namespaces/,
    ],
    ['an owner of empty lists', 'namespaces: [arc-runners]', 'namespaces: []', /owns nothing/],
    [
      'a set with two owners',
      'name: team-a, namespaces: [arc-runners]',
      'name: team-a, scaleSets: [heavy]',
      /^13:35 .*arc-heavy\/heavy is already listed → a scale set has one owner/,
    ],
    [
      'a namespace with two owners',
      'scaleSets: [arc-heavy/heavy] }\n  pull',
      'namespaces: [arc-runners] }\n  pull',
      /arc-runners already has an owner/,
    ],
    ['an owner twice', 'name: team-b', 'name: team-a', /team-a is a duplicate owner name/],
    [
      'a namespace twice',
      'arc-runners, arc-heavy]',
      'arc-runners, arc-runners]',
      /^4:35 spec\.runnerNamespaces\[1\] arc-runners is already listed/,
    ],
    [
      'a copy in the namespace of the original',
      'namespace: arc-systems',
      'namespace: arc-runners',
      /arc-runners is the namespace of the original/,
    ],
    ['a copy twice', '[{ namespace: arc-systems }]', '[{ namespace: a }, { namespace: a }]', /a is already listed/],
    [
      'an image with a tag',
      'actions-runner,',
      'actions-runner:2.336.0,',
      /has a tag or a digest → write ghcr\.io\/actions\/actions-runner, and/,
    ],
    ['an image with a digest', 'actions-runner,', 'actions-runner@sha256:ab,', /has a tag or a digest/],
    [
      'an unknown key',
      'declaredMax: 20',
      'declaredMx: 20',
      /^9:43 unknown key spec\.lanes\[0\]\.declaredMx → did you mean declaredMax\?$/,
    ],
    ['an unknown role', 'role: overflow', 'role: overfow', /has an unknown value → did you mean overflow\?/],
    [
      'a string instead of a number',
      'declaredMax: 20',
      'declaredMax: many',
      /declaredMax is wrong: it must be a number/,
    ],
    [
      'a fraction',
      'declaredMax: 20',
      'declaredMax: 2.5',
      /declaredMax is (?:not a whole number|wrong: it must be a whole number)/,
    ],
    ['a pool without a selector', 'selector: { pool: base }, ', '', /spec\.nodePools\[0\]\.selector is missing/],
    ['an empty mapping', 'spec:\n', 'spec:\nother: 1\nx:\n', /unknown key other/],
    ['the same key twice', 'kind: Fleet\n', 'kind: Fleet\nkind: Fleet\n', /^3:1 duplicate key kind/],
    ['an alias', 'role: overflow', 'role: *a', /./],
    [
      'an unknown threshold',
      'releases:\n',
      'thresholds: { podStrat: 5m }\n  releases:\n',
      /unknown key spec\.thresholds\.podStrat → did you mean podStart\?/,
    ],
    [
      'a threshold without a unit',
      'releases:\n',
      "thresholds: { podStart: '5' }\n  releases:\n",
      /podStart is not a number with ms, s, m/,
    ],
    ['a share above one', 'releases:\n', 'thresholds: { podSlots: 95 }\n  releases:\n', /podSlots must be at most 1/],
  ])('reports %s', (_, part, by, wanted) => {
    expect(findings(changed(part, by))).toContainEqual(expect.stringMatching(wanted))
  })

  it('accepts any pool if none is declared', () => {
    expect(findings(`${HEAD}spec:\n  lanes: [{ label: a, envelope: { default-pool: 3 } }]\n`)).toEqual([])
  })

  it('accepts any namespace if none is declared', () => {
    expect(findings(`${HEAD}spec:\n  owners: [{ name: a, namespaces: [b], scaleSets: [c/d] }]\n`)).toEqual([])
  })

  it('suggests a name only for the first hundred', () => {
    const all = findings(`${HEAD}spec:\n${lines(150, (index) => `  lane${index}: 1`)}`)
    expect([all.length, all.filter((line) => line.includes('did you mean lanes')).length]).toEqual([150, 100])
  })

  it('treats sets of the same name in two namespaces as two', () => {
    expect(findings(changed('scaleSets: [linux]', 'scaleSets: [arc-runners/linux, arc-heavy/linux]'))).toEqual([])
  })

  it('reports every mistake at once, in the order of the file', () => {
    const text = changed('burst: 8 }', 'brust: 7 }')
      .replace('role: baseline', 'role: basline')
      .replace('kind: Fleet', 'kind: Flet')
    expect(findings(text).map((line) => line.split(' ')[0])).toEqual(['2:7', '6:53', '9:56', '9:82'])
  })

  it.each<[string, string, RegExp]>([
    ['nothing', '', /the file is empty: it must be a mapping/],
    ['a list', '- a\n', /the file is wrong/],
    ['another kind', WHOLE.replace('Fleet', 'Rules'), /kind is not Fleet → write Fleet/],
    ['depth', '['.repeat(50_000), /nests too deeply/],
    ['a prototype', `${WHOLE}__proto__: { a: b }\n`, /unknown key __proto__/],
  ])('refuses %s', (_, text, wanted) => {
    expect(findings(text)).toContainEqual(expect.stringMatching(wanted))
  })

  it.each<[string, (count: number) => string]>([
    ['keys', (count) => `${HEAD}spec:\n${lines(count, (index) => `  k${index}: v`)}`],
    [
      'lanes with strange pools',
      (count) =>
        `${HEAD}spec:\n  nodePools: [{ name: p, selector: { a: b } }]\n  lanes:\n${lines(Math.min(count, 5_000), (index) => `    - { label: l${index}, envelope: { q${index}: 1 } }`)}`,
    ],
    [
      'pools',
      (count) =>
        `${HEAD}spec:\n  nodePools:\n${lines(Math.min(count, 5_000), (index) => `    - { name: n${index}, selector: { a: b${index} } }`)}\n  lanes:\n${lines(Math.min(count, 5_000), (index) => `    - { label: l${index}, envelope: { q${index}: 1 } }`)}`,
    ],
  ])('checks a file with only %s quickly', (_, makeText) => {
    const text = makeText(20_000)
    const before = process.cpuUsage()
    expect(checkFleet(text).kind).toBe('wrong')
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(15)
  })

  it('never throws', () => {
    const line = fc.constantFrom(
      ...WHOLE.split('\n'),
      '&a',
      '*a',
      '? x',
      '{',
      '"',
      '  - ',
      '\t',
      '  lanes: 3',
      '  owners: [1]',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(line, { maxLength: 20 }).map((all) => HEAD + all.join('\n')),
      fc.nat({ max: WHOLE.length }).map((end) => WHOLE.slice(0, end)),
    )
    fc.assert(
      fc.property(text, (given) => {
        expect(['right', 'wrong']).toContain(checkFleet(given).kind)
      }),
      { numRuns: draws(400) },
    )
  })
})

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n')
}
