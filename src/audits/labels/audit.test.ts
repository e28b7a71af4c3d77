import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { buildSet } from '#test/fleets/build-scale-set.ts'
import type { SetChanges } from '#test/fleets/build-scale-set.ts'
import { labels } from './audit.ts'

const FORBIDDEN = blind('forbidden', '403')

function judge(lists: Lists, declared?: FleetFile, question = {}) {
  const fleet = buildFleet(lists, declared === undefined ? {} : { fleetFile: seen(declared) })
  return labels.examine(fleet, { ...WHOLE_FLEET, ...question })
}

const reported = (findings: ReturnType<typeof judge>, name: string) =>
  findings.filter((one) => one.class === name).map(({ subject }) => subject.name)

const url = (githubConfigUrl: string, rest: object = {}): SetChanges => ({
  spec: { githubConfigUrl, maxRunners: 4, ...rest },
})

describe('who shares a label', () => {
  const pair = (first: SetChanges, second: SetChanges, declared?: FleetFile) =>
    reported(
      judge(
        { autoscalingrunnersets: [buildSet('linux', first), buildSet('linux', { namespace: 'other', ...second })] },
        declared,
      ),
      'label-spans-owners',
    )

  it.each([
    ['another organisation', url('https://github.com/acme')],
    ['a repository', url('https://github.com/example-org/app')],
    ['an enterprise', url('https://github.com/enterprises/example-org')],
    ['another host', url('https://ghe.example.com/example-org')],
  ])('is reported if %s serves it too', (_what, second) => {
    expect(pair({}, second)).toEqual(['linux'])
  })

  it.each([
    ['the same organisation in other letters', url('https://github.com/EXAMPLE-org/')],
    ['nobody knows who', url('nonsense')],
    [
      'the other is being deleted',
      {
        ...url('https://github.com/acme'),
        metadata: { name: 'linux', namespace: 'other', deletionTimestamp: '2026-06-01T11:00:00Z' },
      },
    ],
  ])('is one owner if %s', (_what, second) => {
    expect(pair({}, second)).toEqual([])
  })

  it('uses the declared owner first: by name, then by namespace', () => {
    const acme = url('https://github.com/acme')
    expect(pair({}, acme, { owners: [{ name: 'platform', namespaces: ['arc-runners', 'other'] }] })).toEqual([])
    expect(
      pair(
        {},
        {},
        {
          owners: [
            { name: 'a', namespaces: ['arc-runners'] },
            { name: 'b', namespaces: ['other'] },
          ],
        },
      ),
    ).toEqual(['linux'])
    expect(
      pair(
        {},
        {},
        {
          owners: [
            { name: 'all', namespaces: ['arc-runners', 'other'] },
            { name: 'b', scaleSets: ['other/linux'] },
          ],
        },
      ),
    ).toEqual(['linux'])
  })

  it('names every scope, because a job stays in its own', () => {
    const [finding] = judge({
      autoscalingrunnersets: [
        buildSet('linux'),
        buildSet('linux', { namespace: 'other', ...url('https://github.com/acme') }),
      ],
    })
    expect(finding).toMatchObject({
      severity: 'info',
      subject: { kind: 'Label', name: 'linux' },
      fields: {
        owners: [{ name: 'example-org', scaleSets: ['arc-runners/linux'], maxRunners: 4 }, { name: 'acme' }],
        scopes: [{ name: 'example-org, group default' }, { name: 'acme, group default' }],
      },
    })
  })

  it('counts all labels of a set', () => {
    const second = buildSet('gpu', url('https://github.com/acme', { runnerScaleSetLabels: ['LINUX'] }))
    expect(reported(judge({ autoscalingrunnersets: [buildSet('linux'), second] }), 'label-spans-owners')).toHaveLength(
      1,
    )
  })

  it('covers only the requested labels', () => {
    const autoscalingrunnersets = ['a', 'b'].flatMap((name) => [
      buildSet(name),
      buildSet(name, { namespace: 'other', ...url('https://github.com/acme') }),
    ])
    expect(reported(judge({ autoscalingrunnersets }, undefined, { labels: ['B'] }), 'label-spans-owners')).toEqual([
      'b',
    ])
    expect(reported(judge({ autoscalingrunnersets }, undefined, { scaleSets: ['a'] }), 'label-spans-owners')).toEqual([
      'a',
    ])
  })

  it('is not reported if the sets could not be read', () => {
    expect(judge({ autoscalingrunnersets: FORBIDDEN }, { lanes: [{ label: 'linux', scaleSets: ['linux'] }] })).toEqual(
      [],
    )
  })
})

describe('declared and live sets of a label', () => {
  const drift = (sets: readonly Fields[], lane: object, lists: Lists = {}) =>
    judge({ autoscalingrunnersets: sets, ...lists }, { lanes: [{ label: 'linux', ...lane }] })
      .filter((one) => one.class === 'declared-vs-live-drift')
      .flatMap(({ evidence }) => evidence)
  const listener = (spec: object, metadata: object = {}) => ({
    autoscalinglisteners: [
      {
        metadata: { name: 'linux-x-listener', namespace: 'arc-systems', ...metadata },
        spec: { autoscalingRunnerSetName: 'linux', autoscalingRunnerSetNamespace: 'arc-runners', ...spec },
      },
    ],
  })

  it.each([
    ['the maximum is another', { declaredMax: 5 }, /declaredMax is 5, the sets allow 4/],
    ['a declared set is missing', { scaleSets: ['linux', 'gone'] }, /scale set gone is declared but does not exist/],
    ['a set serves it that is not declared', { scaleSets: ['other'] }, /arc-runners\/linux serves the label/],
  ])('differ if %s', (_what, lane, expected) => {
    expect(drift([buildSet('linux')], lane).join('\n')).toMatch(expected)
  })

  it('differ if a set has no maximum', () => {
    expect(drift([buildSet('linux', { spec: {} })], { declaredMax: 4 })).toEqual([])
    const unbounded = buildSet('linux', { spec: { maxRunners: undefined } })
    expect(drift([unbounded], { declaredMax: 4 })).toEqual(['declaredMax is 4, the sets allow any number together'])
  })

  it.each([
    ['nothing is declared', {}],
    ['all is as declared', { declaredMax: 4, scaleSets: ['arc-runners/linux'] }],
  ])('agree if %s', (_what, lane) => {
    expect(drift([buildSet('linux')], lane)).toEqual([])
  })

  it('differ if the listener uses other numbers', () => {
    expect(drift([buildSet('linux')], {}, listener({ minRunners: 0, maxRunners: 4 }))).toEqual([])
    expect(drift([buildSet('linux')], {}, listener({ minRunners: 0, maxRunners: 8 }))).toHaveLength(1)
    expect(drift([buildSet('linux')], {}, listener({ minRunners: 1, maxRunners: 4 }))).toHaveLength(1)
    const unbounded = buildSet('linux', { spec: { maxRunners: undefined } })
    expect(drift([unbounded], {}, listener({ maxRunners: 2_147_483_647 }))).toEqual([])
  })

  it('do not differ because of a listener that is being replaced', () => {
    expect(
      drift([buildSet('linux')], {}, listener({ maxRunners: 8 }, { deletionTimestamp: '2026-06-01T11:59:59Z' })),
    ).toEqual([])
  })

  it('report a listener once, at the first label of its set', () => {
    const set = buildSet('linux', { spec: { runnerScaleSetLabels: ['x64'], maxRunners: 4 } })
    const findings = judge({ autoscalingrunnersets: [set], ...listener({ maxRunners: 8 }) })
    expect(findings.map(({ subject }) => subject.name)).toEqual(['linux'])
  })
})
