import { describe, expect, it } from 'vitest'
import { BUNDLE_RESOURCES } from '#/core/evidence/bundle-source.ts'
import { limitPlan } from './fleet-plan.ts'

const listNames = (wanted: readonly string[]): readonly string[] =>
  limitPlan(new Set(wanted))
    .lists.map(({ name }) => name)
    .toSorted()

describe('a plan for a fleet', () => {
  it('is everything without a limit, and every list that a bundle knows', () => {
    const plan = limitPlan(null)
    expect(plan.lists.map(({ name }) => name).toSorted()).toEqual(
      BUNDLE_RESOURCES.filter((name) => name !== 'secrets').toSorted(),
    )
    for (const source of ['kubernetes/secrets', 'kubernetes/stats', 'logs', 'github/jobs']) {
      expect([source, plan.has(source)]).toEqual([source, true])
    }
    expect(plan.nodes('kubernetes/stats')).toBeNull()
  })

  it('is only what is wanted', () => {
    const plan = limitPlan(new Set(['kubernetes/pods', 'kubernetes/ephemeralrunners']))
    expect(plan.lists.map(({ name }) => name)).toEqual(['pods', 'ephemeralrunners'])
    for (const source of ['kubernetes/secrets', 'kubernetes/stats', 'kubernetes/configz', 'logs', 'github/runners']) {
      expect([source, plan.has(source)]).toEqual([source, false])
    }
  })

  it.each([
    ['kubernetes/stats', ['nodes']],
    ['kubernetes/configz/n1', ['nodes']],
    ['logs', ['pods']],
    ['logs/a/b/c', ['pods']],
    ['github/runners', ['autoscalingrunnersets']],
    ['github/rate-limit', ['autoscalingrunnersets']],
    ['github/queued-jobs', ['autoscalingrunnersets', 'ephemeralrunners']],
    ['github/jobs', ['ephemeralrunners']],
    ['kubernetes/secrets', ['autoscalinglisteners', 'autoscalingrunnersets', 'deployments', 'serviceaccounts']],
    ['fleet', []],
  ])('has with %s what it rests on: %j', (source, lists) => {
    expect(listNames([source])).toEqual(lists)
  })

  it('knows of which nodes', () => {
    const plan = limitPlan(new Set(['kubernetes/stats/n1', 'kubernetes/stats/n2', 'kubernetes/configz']))
    expect(plan.nodes('kubernetes/stats')).toEqual(new Set(['n1', 'n2']))
    expect(plan.nodes('kubernetes/configz')).toBeNull()
    expect([plan.has('kubernetes/stats'), plan.has('kubernetes/configz')]).toEqual([true, true])
  })
})
