import { describe, expect, it } from 'vitest'
import { compareVersions, findGeneration, hasPhase, isDevelopmentBuild, parseVersion } from './arc-version.ts'

const plain = { hasIntegrityHash: false, hasActionableRevision: false }

describe('the generation of ARC', () => {
  it.each([
    ['0.9.3', 'upTo0.12'],
    ['0.12.1', 'upTo0.12'],
    ['0.13.1', '0.13'],
    ['0.14.2', '0.14'],
    ['0.15.0', '0.15'],
    ['1.0.0', '0.15'],
    ['canary-2ee6b3b', 'head'],
    ['dev', 'head'],
    [null, '0.14'],
  ])('%s is %s', (version, generation) => {
    expect(findGeneration(version, plain)).toBe(generation)
  })

  it("comes from the objects' own fields before the chart version", () => {
    expect(findGeneration('0.14.2', { ...plain, hasIntegrityHash: true })).toBe('head')
    expect(findGeneration('0.14.2', { ...plain, hasActionableRevision: true })).toBe('0.15')
  })

  it('has a phase on its sets only from 0.14 on', () => {
    expect((['upTo0.12', '0.13', '0.14', 'head', '0.15'] as const).map(hasPhase)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
  })
})

describe('a version', () => {
  it.each([
    ['v1.2.3', { major: 1, minor: 2, patch: 3 }],
    ['1.2', { major: 1, minor: 2, patch: 0 }],
    ['1.2.3-rc1', { major: 1, minor: 2, patch: 3 }],
    ['latest', null],
    ['canary-2ee6b3b', null],
    ['', null],
    [null, null],
  ])('%s is %o', (text, version) => {
    expect(parseVersion(text)).toEqual(version)
  })

  it('is compared by number: 1.10 is newer than 1.9', () => {
    const [a, b] = [parseVersion('1.10.0'), parseVersion('1.9.4')]
    expect(a !== null && b !== null && compareVersions(a, b) > 0).toBe(true)
  })

  it('of a development build serves sets of any version', () => {
    expect(['canary-1', 'dev', '0.14.2', null].map(isDevelopmentBuild)).toEqual([true, true, false, false])
  })
})
