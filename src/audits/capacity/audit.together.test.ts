import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { blind } from '#/core/basics/observed.ts'
import { answer, judge, max } from '#test/fleets/capacity-case.ts'
import { buildNode, podOn, buildSet } from '#test/fleets/build-scale-set.ts'
import type { SetChanges } from '#test/fleets/build-scale-set.ts'

const FORBIDDEN = blind('forbidden', '403')
const NOT_GIVEN = blind('not-asked', 'files')

describe('a quota', () => {
  const quota = (hard: Fields, used?: Fields, spec: Fields = {}) => ({
    resourcequotas: [
      {
        metadata: { name: 'q', namespace: 'arc-runners' },
        spec: { hard, ...spec },
        status: used === undefined ? {} : { hard, used },
      },
    ],
  })

  it.each([
    ['pods', quota({ pods: '3' }), 3],
    ['cores', quota({ 'requests.cpu': '2500m' }), 2],
    ['limits', quota({ 'limits.memory': '4Gi' }), 4],
    ['pods that others use', quota({ pods: '5' }, { pods: '2' }), 3],
  ])('bounds by %s', (_what, lists, fits) => {
    expect(answer(max(5), lists)).toEqual([['fits-not-simultaneously', fits, 'quota']])
    expect(answer(max(fits), lists)).toEqual([['fits', fits, 'quota']])
  })

  it('does not count existing runners', () => {
    const pods = [podOn('a', 'r', { owner: 'EphemeralRunner', namespace: 'arc-runners', requests: { cpu: '1' } })]
    expect(answer(max(3), { ...quota({ pods: '3' }, { pods: '1' }), pods })).toEqual([['fits', 3, 'quota']])
  })

  it('that refuses even one makes it impossible', () => {
    expect(answer(max(1), quota({ 'requests.memory': '512Mi' })).map(([name]) => name)).toEqual([
      'impossible-single-pod',
    ])
    expect(answer(max(1), quota({ 'limits.cpu': '8' })).map(([name]) => name)).toEqual(['impossible-single-pod'])
  })

  it('of another namespace or scope does not count', () => {
    expect(answer(max(5, { namespace: 'other' }), quota({ pods: '1' }))).toEqual([['fits', 8, 'cpu']])
    expect(answer(max(5), quota({ pods: '1' }, undefined, { scopes: ['BestEffort'] }))).toEqual([['fits', 8, 'cpu']])
  })
})

describe('all lanes at once', () => {
  const sets = (...given: readonly (readonly [string, SetChanges])[]) =>
    given.map(([name, changes]) => buildSet(name, changes))
  const classes = (autoscalingrunnersets: readonly Fields[], nodes: readonly Fields[], declared?: FleetFile) =>
    Object.fromEntries(judge({ autoscalingrunnersets, nodes }, declared).map((one) => [one.subject.name, one.class]))
  const pool = (name: string) => ({ pod: { nodeSelector: { pool: name } } })
  const nodes = [buildNode('a', { labels: { pool: 'x' } }), buildNode('b', { labels: { pool: 'y' } })]

  it('fit up to the last runner', () => {
    expect(classes(sets(['one', max(4)], ['two', max(4)]), nodes)).toEqual({ one: 'fits', two: 'fits' })
    expect(classes(sets(['one', max(4)], ['two', max(5)]), nodes)).toEqual({
      one: 'fits-not-simultaneously',
      two: 'fits-not-simultaneously',
    })
  })

  it('clash only if they share nodes', () => {
    const given = sets(['one', max(4, pool('x'))], ['two', max(1, pool('x'))], ['three', max(4, pool('y'))])
    expect(classes(given, nodes)).toEqual({
      one: 'fits-not-simultaneously',
      two: 'fits-not-simultaneously',
      three: 'fits',
    })
  })

  it('leave nodes to the sets that need them', () => {
    expect(classes(sets(['any', max(4)], ['picky', max(4, pool('x'))]), nodes)).toEqual({ any: 'fits', picky: 'fits' })
    expect(classes(sets(['picky', max(4, pool('y'))], ['any', max(4)]), nodes)).toEqual({ any: 'fits', picky: 'fits' })
  })

  it('use first the nodes that no other set can use', () => {
    const pickAny = (...values: readonly string[]) => {
      const term = { matchExpressions: [{ key: 'pool', operator: 'In', values }] }
      const required = { nodeSelectorTerms: [term] }
      return { pod: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } } }
    }
    const three = ['z', 'y', 'x'].map((name) => buildNode(name, { labels: { pool: name } }))
    const given = (first: string) =>
      sets(['few', max(4, pickAny(first, 'y'))], ['many', max(8, pickAny('y', first === 'x' ? 'z' : 'x'))])
    expect(classes(given('x'), three)).toEqual({ few: 'fits', many: 'fits' })
    expect(classes(given('z'), three)).toEqual({ few: 'fits', many: 'fits' })
  })

  it('do not fit if a set of a lane is impossible', () => {
    const lanes = [{ label: 'ci', scaleSets: ['one', 'giant'], declaredMax: 2 }]
    const giant = max(1, { runner: { resources: { requests: { cpu: '9' } } } })
    const found = judge(
      { autoscalingrunnersets: sets(['one', max(1)], ['giant', giant]), nodes },
      { lanes },
      { labels: ['ci'] },
    )
    expect(found.map((one) => one.class)).toEqual(['impossible-single-pod'])
  })

  it('place large runners before small ones', () => {
    const large = max(1, { runner: { resources: { requests: { cpu: '4' } } } })
    expect(classes(sets(['small', max(4)], ['large', large]), nodes)).toEqual({ small: 'fits', large: 'fits' })
  })

  it('may be bound by pod slots', () => {
    const few = [buildNode('a', { allocatable: { pods: '3' } })]
    expect(classes(sets(['one', max(2)], ['two', max(2)]), few)).toEqual({ one: 'slots-bound', two: 'slots-bound' })
  })

  it('report how many are declared and how many fit', () => {
    const [finding] = judge({ autoscalingrunnersets: sets(['one', max(4)], ['two', max(5)]), nodes })
    expect(finding?.fields).toMatchObject({
      declaredMax: 4,
      fits: 8,
      together: { declaredMax: 9, fits: 8, boundBy: 'cpu' },
    })
  })

  it('count a set with several labels once', () => {
    const given = [buildSet('one', { spec: { maxRunners: 8, runnerScaleSetLabels: ['x64', 'linux'] } })]
    expect(judge({ autoscalingrunnersets: given, nodes }).map(({ subject }) => subject.name)).toEqual(['one'])
  })

  it('add up within a lane of several sets', () => {
    const lanes = [{ label: 'ci', scaleSets: ['one', 'two'] }]
    const given = sets(['one', max(4, pool('x'))], ['two', max(5, pool('y'))])
    const [finding] = judge({ autoscalingrunnersets: given, nodes }, { lanes })
    expect(finding).toMatchObject({
      class: 'fits-not-simultaneously',
      subject: { name: 'ci' },
      fields: { declaredMax: 9, fits: 8 },
    })
  })
})

describe('a lane that declares less than its sets allow', () => {
  it('does not clash with itself', () => {
    const pool = (name: string) => ({ pod: { nodeSelector: { pool: name } } })
    const nodes = [buildNode('a', { labels: { pool: 'x' } }), buildNode('b', { labels: { pool: 'y' } })]
    const autoscalingrunnersets = [buildSet('one', max(6, pool('x'))), buildSet('two', max(4, pool('y')))]
    const lanes = [{ label: 'ci', scaleSets: ['one', 'two'], declaredMax: 8 }]
    const found = judge({ autoscalingrunnersets, nodes }, { lanes }, { labels: ['ci'] })
    expect(found).toMatchObject([{ class: 'fits', fields: { declaredMax: 8, fits: 8 } }])
  })
})

describe('what was not seen', () => {
  it('never counts as room', () => {
    expect(answer(max(1), { nodes: FORBIDDEN })).toEqual([])
    expect(judge({ autoscalingrunnersets: FORBIDDEN, nodes: [buildNode('a')] })).toEqual([])
    for (const source of ['pods', 'resourcequotas', 'limitranges', 'runtimeclasses']) {
      expect(answer(max(1), { [source]: FORBIDDEN })).toEqual([])
      expect(answer(max(9), { [source]: FORBIDDEN }).map(([name]) => name)).toEqual(['fits-not-simultaneously'])
    }
    expect(answer(max(1), { pods: NOT_GIVEN, daemonsets: FORBIDDEN })).toEqual([])
  })

  it('is noted in the finding if it was not requested', () => {
    const [finding] = judge({
      autoscalingrunnersets: [buildSet('a', max(1))],
      nodes: [buildNode('n')],
      pods: NOT_GIVEN,
      daemonsets: NOT_GIVEN,
    })
    expect(finding).toMatchObject({ class: 'fits' })
    expect(finding?.evidence.join()).toContain('what else runs on the nodes is not counted')
  })

  it('does not crash on malformed objects', () => {
    const odd = [{ metadata: null, spec: { template: { spec: { containers: [null, 7, { resources: 'x' }] } } } }, {}]
    expect(() =>
      judge({ autoscalingrunnersets: odd, nodes: [{}, { status: { allocatable: { cpu: [] } } }] }),
    ).not.toThrow()
  })
})
