import { describe, expect, it } from 'vitest'
import { readScaleSet } from '#/core/fleet/scale-set.ts'
import { DEFAULT_THRESHOLDS } from '#/core/fleet-file/thresholds.ts'
import { buildSet } from '#test/fleets/build-scale-set.ts'
import { runnerName } from './derived-names.ts'
import { nameTooLong } from './set-findings.ts'

const HOOKS = { env: [{ name: 'ACTIONS_RUNNER_CONTAINER_HOOKS', value: '/home/runner/k8s/index.js' }] }
const named = (length: number, changes: Parameters<typeof buildSet>[1] = {}) =>
  nameTooLong(readScaleSet(buildSet('n'.repeat(length), changes)), DEFAULT_THRESHOLDS)

describe('the name of a set', () => {
  it('may have 45 characters', () => {
    expect(named(45)).toEqual([])
    expect(named(46)).toMatchObject([{ class: 'name-too-long', severity: 'warning', fields: { length: 46 } }])
  })

  it('also counts as the runs-on label', () => {
    const long = { spec: { runnerScaleSetName: 'n'.repeat(46), template: { spec: {} } } }
    expect(named(10, long)).toMatchObject([{ class: 'name-too-long' }])
    expect(named(10, { spec: { runnerScaleSetName: 'n'.repeat(45), template: { spec: {} } } })).toEqual([])
  })

  it.each([
    ['0.14.2', 35, 36],
    ['0.13.1', 35, 36],
    ['0.12.1', 35, 36],
    ['canary-2ee6b3b', 41, 42],
    ['0.15.0', 41, 42],
  ])('leaves room for the job pods of hooks: %s up to %i characters', (version, most, over) => {
    expect(named(most, { version, runner: HOOKS })).toEqual([])
    expect(named(over, { version, runner: HOOKS })).toMatchObject([
      { fields: { derived: [{ what: 'job pod', length: 64 }] } },
    ])
  })

  it('does not need that room without hooks', () => {
    expect(named(44)).toEqual([])
  })

  it('is truncated by Kubernetes before a runner name gets too long', () => {
    expect(runnerName('n'.repeat(45), '0.14')).toHaveLength(63)
    expect(runnerName('linux', '0.14')).toBe('linux-xxxxx-runner-xxxxx')
    expect(runnerName('linux', 'head')).toBe('linux-runner-xxxxx')
  })

  it('is judged by the thresholds of the fleet file', () => {
    const set = readScaleSet(buildSet('linux-x64'))
    expect(nameTooLong(set, { ...DEFAULT_THRESHOLDS, scaleSetNameLength: 8 })).toHaveLength(1)
    expect(nameTooLong(set, { ...DEFAULT_THRESHOLDS, derivedNameLength: 26 })).toHaveLength(1)
    expect(nameTooLong(set, { ...DEFAULT_THRESHOLDS, derivedNameLength: 27 })).toEqual([])
  })
})
