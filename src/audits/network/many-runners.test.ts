import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { none, seen } from '#/core/basics/observed.ts'
import { before, dead, buildNode, buildPod, running } from '#test/fleets/cluster-parts.ts'
import { RUNNER, findFinding } from '#test/fleets/network-case.ts'
import type { NetworkCase } from '#test/fleets/network-case.ts'

describe('many runners ended together', () => {
  const many = (...ends: readonly (readonly [number, string])[]): readonly Fields[] =>
    ends.map(([at, node], index) => dead(`lane-x-runner-${index}`, at, { node }))
  const zoned = ['sting', 'honey', 'bumble'].map((name) =>
    buildNode(name, { labels: { 'topology.kubernetes.io/zone': name === 'bumble' ? 'b' : 'a' } }),
  )
  const findings = (pods: readonly Fields[], more: NetworkCase = {}): Finding | undefined =>
    findFinding({ nodes: zoned, pods, ...more }, 'many-runners-same-window')
  it.each<readonly [string, string | undefined, readonly Fields[]]>([
    ['on one node', 'node', many([10.5, 'sting'], [9, 'sting'])],
    ['in one zone', 'zone', many([10.5, 'honey'], [9, 'sting'])],
    ['everywhere', 'everywhere', many([10.5, 'honey'], [9, 'bumble'])],
    ['within two minutes', 'node', many([11, 'sting'], [9, 'sting'])],
    ['over more than two minutes, which is not together', undefined, many([11.1, 'sting'], [9, 'sting'])],
    ['being two, which is not many', undefined, many([10.5, 'sting'])],
    ['without the one that was asked about', undefined, many([25, 'sting'], [24.5, 'sting'], [24, 'sting'])],
    ['on a node that is gone', 'unknown', many([10.5, 'spot'], [9, 'sting'])],
  ])('%s', (_title, place, pods) => {
    expect(findings(pods)?.fields?.['place']).toBe(place)
  })

  it('are everywhere if zones are unknown', () => {
    const nodes = ['sting', 'honey', 'bumble'].map((name) => buildNode(name))
    expect(findings(many([10.5, 'honey'], [9, 'bumble']), { nodes })?.fields?.['place']).toBe('everywhere')
  })

  const job = (id: number, own: Fields): Fields => ({
    id,
    status: 'completed',
    conclusion: 'failure',
    runner_name: `r${id}`,
    completed_at: before(10),
    steps: [{ name: 'build', status: 'in_progress' }],
    ...own,
  })
  const lost = (own: Fields): NetworkCase => ({
    others: {
      github: { runners: none(), queuedJobs: none(), jobs: seen([1, 2].map((id) => job(id, own))), rateLimit: none() },
    },
  })
  it.each<readonly [string, boolean, Fields]>([
    ['whose jobs were lost', true, {}],
    ['whose jobs failed by themselves do not count', false, { steps: [{ name: 'build', status: 'completed' }] }],
    ['whose jobs went well do not count', false, { conclusion: 'success' }],
    ['whose jobs run do not count', false, { status: 'in_progress' }],
  ])('are known by GitHub: those %s', (_title, isMany, own) => {
    expect(findings([], lost(own)) !== undefined).toBe(isMany)
  })

  it('are those that died, not those that finished', () => {
    expect(findings([...many([10.5, 'sting']), dead('done', 10, { code: 0 })])).toBeUndefined()
  })

  it('are reported for their node, or for the given runner', () => {
    expect(findings(many([10.5, 'sting'], [9, 'sting']))?.subject).toEqual({ kind: 'Node', name: 'sting' })
    expect(findings(many([10.5, 'honey'], [9, 'bumble']))?.subject.name).toBe(RUNNER)
    expect(findings(many([10.5, 'honey'], [9, 'bumble']))?.fields).toMatchObject({ runners: 3 })
  })

  it('do not include a running runner', () => {
    const alive = buildPod(RUNNER, { container: 'runner', state: running(50) })
    expect(
      findings([], { lists: { nodes: zoned, pods: [alive, ...many([1, 'sting'], [0.5, 'sting'])] } }),
    ).toBeUndefined()
  })
})
