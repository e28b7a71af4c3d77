import { describe, expect, it } from 'vitest'
import { credentialKind } from './credential.ts'
import { isLow, isSpent, rateBudgets } from './rate-budget.ts'

const APP = { github_app_id: 'eA==', github_app_installation_id: 'eA==', github_app_private_key: 'eA==' }
const EMPTY = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

describe('a credential by its key names', () => {
  it.each([
    ['an App', APP, { kind: 'app' }],
    ['a token', { github_token: 'eA==' }, { kind: 'pat' }],
    ['a token and an App', { ...APP, github_token: 'eA==' }, { kind: 'both' }],
    ['a token and a part of an App', { github_token: 'eA==', github_app_id: 'eA==' }, { kind: 'both' }],
    ['an App and an empty token', { ...APP, github_token: '' }, { kind: 'app' }],
    ['an App and the digest of an empty token', { ...APP, github_token: EMPTY }, { kind: 'app' }],
    ['the same in base64', { ...APP, github_token: btoa(EMPTY) }, { kind: 'app' }],
    ['nothing', {}, { kind: 'incomplete', missing: Object.keys(APP) }],
    [
      'a part of an App',
      { github_app_id: 'eA==' },
      { kind: 'incomplete', missing: ['github_app_installation_id', 'github_app_private_key'] },
    ],
    ['a wrong shape', { github_token: 7 }, { kind: 'incomplete' }],
  ])('of %s', (_, data, expected) => {
    expect(credentialKind({ data })).toMatchObject(expected)
  })
})

describe('a rate limit', () => {
  const NOW = 1_000_000_000_000
  const budget = (remaining: number, resetsAt: number | null = NOW + 1) => ({
    resource: 'core',
    limit: 5_000,
    remaining,
    resetsAt,
  })

  it.each([
    [501, false, false],
    [500, false, false],
    [499, true, false],
    [1, true, false],
    [0, false, true],
    [-3, false, true],
  ])('with %i of 5000 left', (remaining, low, spent) => {
    expect([isLow(budget(remaining), NOW, 0.1), isSpent(budget(remaining), NOW)]).toEqual([low, spent])
  })

  it.each([
    [NOW + 1, true],
    [NOW, false],
    [NOW - 1, false],
    [null, true],
  ])('that resets at %s', (resetsAt, counts) => {
    expect([isLow(budget(10, resetsAt), NOW, 0.1), isSpent(budget(0, resetsAt), NOW)]).toEqual([counts, counts])
  })

  it('is read only for what ARC uses, and only from numbers', () => {
    const resources = {
      core: { limit: 5_000, remaining: 1, reset: 1 },
      actions_runner_registration: { limit: 0, remaining: 0, reset: 1 },
      search: { limit: 30, remaining: 0, reset: 1 },
    }
    expect(rateBudgets({ resources })).toEqual([{ resource: 'core', limit: 5_000, remaining: 1, resetsAt: 1_000 }])
    for (const document of [{}, { resources: null }, { resources: { core: { limit: '5000', remaining: 1 } } }]) {
      expect(rateBudgets(document)).toEqual([])
    }
  })
})
