import { describe, expect, it } from 'vitest'
import type { GitHubWorld } from '#test/contracts/github-world.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import { blindAs } from '#test/contracts/github-matchers.ts'

const ORG = { kind: 'organization', organization: 'acme' } as const
const HOUR_MS = 3_600_000

function withClockOff(world: GitHubWorld, byMs: number) {
  return world.connect({ clock: { now: () => world.clock.now() + byMs, sleep: world.clock.sleep } })
}

describe.each([
  ['ahead', 2 * HOUR_MS],
  ['behind', -2 * HOUR_MS],
])('a machine whose clock is %s', (_, byMs) => {
  it('keeps a token for as long as GitHub does', async () => {
    await using world = await startGitHubWorld()
    const github = withClockOff(world, byMs)
    await github.runners.list(ORG)
    await github.runners.list(ORG)
    const issued = (): number => world.requests.filter((request) => request.includes('access_tokens')).length
    expect(issued()).toBe(1)
    world.clock.advance(56 * 60_000)
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
    expect(issued()).toBe(2)
  })

  it('does not ask again before the budget is there again, and asks then', async () => {
    await using world = await startGitHubWorld()
    const github = withClockOff(world, byMs)
    await github.runners.list(ORG)
    const installation = github.access.budgets().find(({ credential }) => credential.startsWith('installation'))
    world.sim.rateLimit.set(installation?.credential.replace(' ', ':') ?? '', { remaining: 0 })
    expect(await github.runners.byName(ORG, 'any')).toEqual(blindAs('rate-limited'))
    const asked = world.requests.length
    expect(await github.runners.list(ORG)).toEqual(blindAs('rate-limited'))
    expect(world.requests).toHaveLength(asked)
    world.clock.advance(HOUR_MS + 1000)
    expect(await github.runners.list(ORG)).toEqual({ kind: 'none' })
  })
})
