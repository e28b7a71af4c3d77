import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { TokenReviewRequest, TokenVerdict } from '#/ports/kubernetes.ts'
import { ownPod, PutPods } from '#test/dispatch/own-pods.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { createTokenReviews } from './token-reviews.ts'

const valid: TokenVerdict = {
  kind: 'valid',
  username: 'system:serviceaccount:runners:linux',
  groups: [],
  pod: { name: 'linux-u1', uid: 'u1' },
}
const OF_POD = { kind: 'of-pod', pod: { uid: 'u1', name: 'linux-u1', namespace: 'runners' } }

function door(given: Observed<TokenVerdict> = seen(valid)) {
  const world = { verdict: given, asked: [] as TokenReviewRequest[], hold: null as Promise<void> | null }
  const ownPods = new PutPods(ownPod('u1'))
  const clock = createHandClock()
  const kubernetes = {
    reviewToken: async (request: TokenReviewRequest) => {
      world.asked.push(request)
      await world.hold
      return world.verdict
    },
  }
  const { review } = createTokenReviews({ kubernetes, ownPods, clock })
  return { world, ownPods, clock, review }
}

describe('whose token it is', () => {
  it('is said by the API server, for our audience', async () => {
    const { review, world } = door()
    expect(await review('t')).toEqual(OF_POD)
    expect(world.asked).toEqual([{ token: 't', audience: 'signalbox-dispatch' }])
  })

  it.each<[string, Observed<TokenVerdict>, string, RegExp]>([
    ['that is refused', seen({ kind: 'invalid', message: 'for another audience' }), 'invalid', /does not accept/],
    ['that is bound to no pod', seen({ ...valid, pod: null }), 'invalid', /bound to no pod/],
    ['of a person', seen({ ...valid, username: 'admin' }), 'invalid', /service account/],
    ['with an odd name', seen({ ...valid, username: 'system:serviceaccount:a:b:c' }), 'invalid', /service account/],
    ['while the API server is away', blind('unreachable', 'x'), 'blind', /unreachable/],
    ['while there are no reviews', none(), 'blind', /no token reviews/],
  ])('refuses a token %s', async (_title, verdict, kind, why) => {
    const { review } = door(verdict)
    expect(await review('t')).toEqual({ kind, why: expect.stringMatching(why) as string })
  })

  it.each([null, '', 'x'.repeat(9000)])('asks nobody about what is no token', async (token) => {
    const { review, world } = door()
    expect(await review(token)).toMatchObject({ kind: 'invalid' })
    expect(world.asked).toEqual([])
  })

  it('is remembered for a minute, and no longer than the caller relies on it', async () => {
    const { review, world, clock } = door()
    await review('t')
    world.verdict = seen({ kind: 'invalid', message: 'revoked' })
    clock.advance(34_999)
    expect(await review('t', 25_000)).toEqual(OF_POD)
    expect(world.asked).toHaveLength(1)
    clock.advance(1)
    expect(await review('t', 25_000)).toMatchObject({ kind: 'invalid' })
    expect(world.asked).toHaveLength(2)
  })

  it('is as old as the question, not as the answer', async () => {
    const { review, world, clock } = door()
    const held = Promise.withResolvers<void>()
    world.hold = held.promise
    const first = review('t')
    clock.advance(50_000)
    held.resolve()
    await first
    clock.advance(10_000)
    await review('t')
    expect(world.asked).toHaveLength(2)
  })

  it('is forgotten when its pod is gone', async () => {
    const { review, world, ownPods } = door()
    await review('t')
    ownPods.drop('u1')
    world.verdict = seen({ kind: 'invalid', message: 'its pod is gone' })
    expect(await review('t')).toMatchObject({ kind: 'invalid' })
  })

  it('is refused from memory for a moment', async () => {
    const { review, world, clock } = door(seen({ kind: 'invalid', message: 'x' }))
    await review('t')
    await review('t')
    expect(world.asked).toHaveLength(1)
    clock.advance(5000)
    await review('t')
    expect(world.asked).toHaveLength(2)
  })

  it('is asked again after an answer that nobody could give', async () => {
    const { review, world } = door(blind('timeout', 'x'))
    await review('t')
    world.verdict = seen(valid)
    expect(await review('t')).toEqual(OF_POD)
  })

  it('is asked once at a time, and of so many tokens at most', async () => {
    const { review, world } = door()
    const held = Promise.withResolvers<void>()
    world.hold = held.promise
    const same = Array.from({ length: 100 }, () => review('t'))
    const others = Array.from({ length: 63 }, (_, index) => review(`t${index}`))
    expect(await review('one too many')).toEqual({ kind: 'busy' })
    held.resolve()
    const answers = await Promise.all([...same, ...others])
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['of-pod']))
    expect(world.asked).toHaveLength(64)
  })

  it('of a pod is reviewed while others flood us with what they made up, or with tokens of one pod', async () => {
    const { review, world, ownPods } = door()
    ownPods.put(ownPod('u2'))
    const held = Promise.withResolvers<void>()
    world.hold = held.promise
    const flood = Array.from({ length: 200 }, (_, index) => review(`x${index}.e30.y`))
    flood.push(...Array.from({ length: 200 }, (_, index) => review(tokenOf('nobody', index))))
    flood.push(...Array.from({ length: 200 }, (_, index) => review(tokenOf('u1', index))))
    const honest = review(tokenOf('u2', 0))
    held.resolve()
    expect(await honest).toMatchObject({ kind: 'of-pod' })
    await Promise.all(flood)
    expect(world.asked.length).toBeLessThanOrEqual(128)
  })

  it('is remembered no longer after the clock was set back', async () => {
    const { review, world, clock } = door()
    await review('t')
    world.verdict = seen({ kind: 'invalid', message: 'revoked' })
    clock.set(-3_600_000)
    expect(await review('t')).toMatchObject({ kind: 'invalid' })
  })
})

/** As the API server makes one for a pod; the signature is nobody's business here. */
function tokenOf(uid: string, serial: number): string {
  const claims = { aud: ['signalbox-dispatch'], jti: `${serial}`, 'kubernetes.io': { pod: { uid } } }
  return `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`
}
