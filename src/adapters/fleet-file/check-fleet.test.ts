import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draws } from '#test/tiers/long-run.ts'
import { checkFleet } from './check-fleet.ts'

const HEAD = 'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\n'

/** Eight lines of spec behind two of head. */
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

function told(text: string): readonly string[] {
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
  it('finds nothing in a file that is right', () => {
    expect(told(WHOLE)).toEqual([])
  })

  it.each<[string, string, string, RegExp]>([
    [
      'an unknown pool',
      'envelope: { base: 12, burst: 8 }',
      'envelope: { base: 12, brust: 8 }',
      /^9:82 spec\.lanes\[0\]\.envelope\.brust is none of the nodePools → did you mean burst\?$/,
    ],
    ['a pool like no other', 'burst: 8 }', 'zzzzz: 8 }', /is none of the nodePools → there are: base, burst$/],
    [
      'a sum that is off',
      'base: 12, burst',
      'base: 10, burst',
      /^9:56 spec\.lanes\[0\]\.declaredMax is 20, and the envelope adds up to 18 → make them equal/,
    ],
    ['a sum that is over', 'declaredMax: 20', 'declaredMax: 19', /is 19, and the envelope adds up to 20/],
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
    ['a pool twice', 'name: burst', 'name: base', /^7:15 spec\.nodePools\[1\]\.name base is the name of another pool/],
    [
      'a label twice',
      'label: heavy',
      'label: LINUX',
      /^10:16 spec\.lanes\[1\]\.label linux is the label of another lane/,
    ],
    [
      'a set in two lanes',
      'scaleSets: [arc-heavy/heavy] }\n  owners',
      'scaleSets: [linux] }\n  owners',
      /^10:35 .*scaleSets\[0\] linux is named before → a lane without scaleSets takes/,
    ],
    [
      'a set twice in a lane',
      'scaleSets: [linux]',
      'scaleSets: [linux, linux]',
      /^9:42 .*scaleSets\[1\] linux is named before/,
    ],
    [
      'a set with and without its namespace',
      'scaleSets: [linux]',
      'scaleSets: [linux, arc-runners/linux]',
      /arc-runners\/linux is named before/,
    ],
    [
      'a set without and with its namespace',
      'scaleSets: [linux]',
      'scaleSets: [arc-runners/linux, linux]',
      /scaleSets\[1\] linux is named before/,
    ],
    [
      'a name that is none',
      'scaleSets: [linux]',
      'scaleSets: [a/b/c]',
      /a\/b\/c is neither the name of a scale set nor/,
    ],
    ['half a name', 'scaleSets: [linux]', 'scaleSets: [arc-runners/]', /is neither the name/],
    [
      'a namespace that is not there',
      'scaleSets: [linux]',
      'scaleSets: [arc-runner/linux]',
      /arc-runner is none of the runnerNamespaces → did you mean arc-runners\?/,
    ],
    [
      'an owner of nothing',
      ', namespaces: [arc-runners]',
      '',
      /^12:7 spec\.owners\[0\] owns nothing → give it namespaces/,
    ],
    ['an owner of empty lists', 'namespaces: [arc-runners]', 'namespaces: []', /owns nothing/],
    [
      'a set of two owners',
      'name: team-a, namespaces: [arc-runners]',
      'name: team-a, scaleSets: [heavy]',
      /^13:35 .*arc-heavy\/heavy is named before → a scale set has one owner/,
    ],
    [
      'a namespace of two owners',
      'scaleSets: [arc-heavy/heavy] }\n  pull',
      'namespaces: [arc-runners] }\n  pull',
      /arc-runners has an owner already/,
    ],
    ['an owner twice', 'name: team-b', 'name: team-a', /team-a is the name of another owner/],
    [
      'a namespace twice',
      'arc-runners, arc-heavy]',
      'arc-runners, arc-runners]',
      /^4:35 spec\.runnerNamespaces\[1\] arc-runners is named before/,
    ],
    [
      'a copy where the original is',
      'namespace: arc-systems',
      'namespace: arc-runners',
      /arc-runners is where the original is/,
    ],
    ['a copy twice', '[{ namespace: arc-systems }]', '[{ namespace: a }, { namespace: a }]', /a is named before/],
    [
      'an image with a tag',
      'actions-runner,',
      'actions-runner:2.336.0,',
      /has a tag or a digest → write ghcr\.io\/actions\/actions-runner, and/,
    ],
    ['an image with a digest', 'actions-runner,', 'actions-runner@sha256:ab,', /has a tag or a digest/],
    [
      'a key that is not known',
      'declaredMax: 20',
      'declaredMx: 20',
      /^9:43 there is no key spec\.lanes\[0\]\.declaredMx → did you mean declaredMax\?$/,
    ],
    [
      'a role that is not known',
      'role: overflow',
      'role: overfow',
      /is not one of those that are known → did you mean overflow\?/,
    ],
    ['a text for a number', 'declaredMax: 20', 'declaredMax: many', /declaredMax is wrong: it has to be a number/],
    [
      'a fraction',
      'declaredMax: 20',
      'declaredMax: 2.5',
      /declaredMax is (?:not a whole number|wrong: it has to be a whole number)/,
    ],
    ['a pool without a selector', 'selector: { pool: base }, ', '', /spec\.nodePools\[0\]\.selector is missing/],
    ['nothing where a group is', 'spec:\n', 'spec:\nother: 1\nx:\n', /there is no key other/],
    ['the same key twice', 'kind: Fleet\n', 'kind: Fleet\nkind: Fleet\n', /^3:1 kind is there twice/],
    ['an alias', 'role: overflow', 'role: *a', /./],
    [
      'a threshold that is not known',
      'releases:\n',
      'thresholds: { podStrat: 5m }\n  releases:\n',
      /there is no key spec\.thresholds\.podStrat → did you mean podStart\?/,
    ],
    [
      'a threshold without a unit',
      'releases:\n',
      "thresholds: { podStart: '5' }\n  releases:\n",
      /podStart is not a number with ms, s, m/,
    ],
    ['a share above one', 'releases:\n', 'thresholds: { podSlots: 95 }\n  releases:\n', /podSlots is above 1/],
  ])('tells of %s', (_, part, by, wanted) => {
    expect(told(changed(part, by))).toContainEqual(expect.stringMatching(wanted))
  })

  it('leaves the pools of the provider alone where none is declared', () => {
    expect(told(`${HEAD}spec:\n  lanes: [{ label: a, envelope: { default-pool: 3 } }]\n`)).toEqual([])
  })

  it('takes any namespace where none is declared', () => {
    expect(told(`${HEAD}spec:\n  owners: [{ name: a, namespaces: [b], scaleSets: [c/d] }]\n`)).toEqual([])
  })

  it('looks for what was meant only for the first hundred', () => {
    const all = told(`${HEAD}spec:\n${lines(150, (index) => `  lane${index}: 1`)}`)
    expect([all.length, all.filter((line) => line.includes('did you mean lanes')).length]).toEqual([150, 100])
  })

  it('takes sets of the same name in two namespaces for two', () => {
    expect(told(changed('scaleSets: [linux]', 'scaleSets: [arc-runners/linux, arc-heavy/linux]'))).toEqual([])
  })

  it('tells every mistake at once, in the order of the file', () => {
    const text = changed('burst: 8 }', 'brust: 7 }')
      .replace('role: baseline', 'role: basline')
      .replace('kind: Fleet', 'kind: Flet')
    expect(told(text).map((line) => line.split(' ')[0])).toEqual(['2:7', '6:53', '9:56', '9:82'])
  })

  it.each<[string, string, RegExp]>([
    ['nothing', '', /the file is empty: it has to be a group of keys/],
    ['a list', '- a\n', /the file is wrong/],
    ['another kind', WHOLE.replace('Fleet', 'Rules'), /kind is not Fleet → write Fleet/],
    ['depth', '['.repeat(50_000), /nests too deeply/],
    ['a prototype', `${WHOLE}__proto__: { a: b }\n`, /there is no key __proto__/],
  ])('refuses %s', (_, text, wanted) => {
    expect(told(text)).toContainEqual(expect.stringMatching(wanted))
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
  ])('is done in a moment with a file of nothing but %s', (_, textOf) => {
    const text = textOf(20_000)
    const before = process.cpuUsage()
    expect(checkFleet(text).kind).toBe('wrong')
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(15)
  })

  it('never throws, whatever the text', () => {
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
