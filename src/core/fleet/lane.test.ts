import { describe, expect, it } from 'vitest'
import { readFleetJob } from '#/core/fleet/github-facts.ts'
import { isLaneJob, listLanes, servesJob } from './lane.ts'
import { readScaleSet } from './scale-set.ts'

const set = (name: string, spec: object = {}, metadata: object = {}) =>
  readScaleSet({
    metadata: { name, namespace: 'runners', ...metadata },
    spec: { githubConfigUrl: 'https://github.com/acme', maxRunners: 3, ...spec },
  })
const job = (labels: readonly string[], repository = 'acme/app') =>
  readFleetJob({ labels, run_url: `https://api.github.com/repos/${repository}/actions/runs/1` })

describe('lanes', () => {
  it('are the labels of the sets if none are declared; sets that share a label share a lane', () => {
    const sets = [
      set('a', { runnerScaleSetName: 'linux' }),
      set('b', { runnerScaleSetName: 'Linux', runnerScaleSetLabels: ['gpu'] }),
    ]
    expect(listLanes(sets, {}).map(({ label, sets: own, declaredMax }) => [label, own.length, declaredMax])).toEqual([
      ['Linux', 2, 6],
      ['gpu', 1, 3],
    ])
  })

  it('have no maximum if one of their sets has none', () => {
    expect(listLanes([set('a', { maxRunners: undefined })], {})[0]?.declaredMax).toBeNull()
  })

  it('include declared and undeclared ones', () => {
    const lanes = listLanes([set('a'), set('b')], { lanes: [{ label: 'a', declaredMax: 9, class: 'gpu' }] })
    expect(lanes.map(({ label, declaredMax, isDeclared }) => [label, declaredMax, isDeclared])).toEqual([
      ['a', 9, true],
      ['b', 3, false],
    ])
  })

  it('have the sets that the declaration names, by name or with the namespace', () => {
    const lanes = listLanes([set('a'), set('b'), set('c')], {
      lanes: [{ label: 'x', scaleSets: ['a', 'runners/b', 'other/c'] }],
    })
    expect(lanes[0]?.sets.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('do not have a set that is terminating', () => {
    expect(listLanes([set('a', {}, { deletionTimestamp: '2026-06-01T00:00:00Z' })], {})).toEqual([])
  })
})

describe('a set and a job', () => {
  it.each([
    ['all of its labels', ['linux', 'GPU'], 'acme/app', true],
    ['a label that the set lacks', ['linux', 'arm'], 'acme/app', false],
    ['a repository of another organisation', ['linux'], 'other/app', false],
    ['no label at all', [], 'acme/app', false],
  ])('%s: %o of %s is served: %s', (_title, labels, repository, answer) => {
    expect(servesJob(set('linux', { runnerScaleSetLabels: ['gpu'] }), job(labels, repository))).toBe(answer)
  })

  it('belong to one lane by its label', () => {
    const [lane] = listLanes([set('linux')], {})
    expect(lane !== undefined && isLaneJob(lane, job(['linux']))).toBe(true)
    expect(lane !== undefined && isLaneJob(lane, job(['gpu']))).toBe(false)
  })
})
