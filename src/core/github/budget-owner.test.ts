import { describe, expect, it } from 'vitest'
import { ownerRemark, parseLimitOwner, parseLimitedOwner, parseOwnerRemark, tokenOwner } from './budget-owner.ts'

describe('whose rate limit it is', () => {
  it.each([
    ['ghp_x', 'person'],
    ['github_pat_x', 'person'],
    ['gho_x', 'person'],
    ['ghs_x', 'workflow'],
    ['0123456789abcdef', 'unknown'],
  ] as const)('a token %s shows: %s', (token, owner) => {
    expect(tokenOwner(token)).toBe(owner)
  })

  it.each([
    ['read with the token of the user who collected', 'person'],
    ["the GitHub App's installation 4711", 'installation'],
    ['GITHUB_TOKEN of the nightly workflow', 'workflow'],
    ['3 of 40 could not be read', 'unknown'],
    [null, 'unknown'],
  ] as const)('a remark %j shows: %s', (remark, owner) => {
    expect(parseOwnerRemark(remark)).toBe(owner)
  })

  it.each(['person', 'installation', 'workflow', 'unknown'] as const)(
    'is read back from the remark that collect writes: %s',
    (owner) => {
      expect(parseOwnerRemark(ownerRemark(owner))).toBe(owner)
    },
  )

  it.each([
    ['API rate limit exceeded for installation ID 77123456.', 'installation'],
    ['API rate limit exceeded for user ID 1810022.', 'person'],
    ['You have exceeded a secondary rate limit', 'unknown'],
  ] as const)('GitHub says: %s', (line, owner) => {
    expect(parseLimitedOwner(line)).toBe(owner)
  })

  it.each([
    [1_000, 'workflow'],
    [5_000, 'unknown'],
    [6_250, 'installation'],
    [12_500, 'installation'],
    [15_000, 'unknown'],
  ] as const)('a limit of %i shows: %s', (limit, owner) => {
    expect(parseLimitOwner(limit)).toBe(owner)
  })
})
