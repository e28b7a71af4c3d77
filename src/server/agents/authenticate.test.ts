import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { TokenVerdict } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { createAuthenticate } from './authenticate.ts'
import type { AuthenticateOptions } from './authenticate.ts'

const username = 'system:serviceaccount:signalbox:signalbox-agent'
const valid: TokenVerdict = { kind: 'valid', username, groups: [], pod: { name: 'agent-x', uid: 'u1' } }

function pod(nodeName: string | null, uid = 'u1'): KubeObject {
  const metadata = { name: 'agent-x', namespace: 'signalbox', uid, resourceVersion: '1' }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: nodeName === null ? {} : { nodeName } }
}

type World = { verdict: Observed<TokenVerdict>; pod: Observed<KubeObject>; reviews: string[]; reads: number }

function door(given: Partial<World> = {}, more: Partial<AuthenticateOptions> = {}) {
  const world: World = { verdict: seen(valid), pod: seen(pod('n1')), reviews: [], reads: 0, ...given }
  const clock = createHandClock()
  const kubernetes: NonNullable<AuthenticateOptions['kubernetes']> = {
    reviewToken: async ({ token, audience }) => {
      world.reviews.push(`${token} for ${audience}`)
      return world.verdict
    },
    get: async () => {
      world.reads += 1
      return world.pod
    },
  }
  const options = { kubernetes, serviceAccount: 'signalbox/signalbox-agent', secret: null, clock, ...more }
  return { world, clock, authenticate: createAuthenticate(options) }
}

describe('who an agent is', () => {
  it('is said by the API server: the node of the pod that its token is bound to', async () => {
    const { authenticate, world } = door()
    expect(await authenticate('t')).toEqual({ kind: 'of-node', node: 'n1' })
    expect(world.reviews).toEqual(['t for signalbox-agent'])
  })

  it.each<[string, Partial<World>, number]>([
    ['a token that the API server does not accept', { verdict: seen({ kind: 'invalid', message: 'x' }) }, 401],
    ['another service account', { verdict: seen({ ...valid, username: `${username}-2` }) }, 403],
    ['a person', { verdict: seen({ ...valid, username: 'signalbox-agent' }) }, 403],
    ['a token that is bound to no pod', { verdict: seen({ ...valid, pod: null }) }, 403],
    ['a pod that is gone', { pod: none() }, 403],
    ['a pod of the same name that is another', { pod: seen(pod('n1', 'u2')) }, 403],
    ['a pod on no node', { pod: seen(pod(null)) }, 403],
    ['an API server that is away', { verdict: blind('unreachable', 'x') }, 503],
    ['a pod that may not be read', { pod: blind('forbidden', 'x') }, 503],
  ])('refuses %s', async (_title, world, status) => {
    expect(await door(world).authenticate('t')).toMatchObject({ kind: 'refused', status })
  })

  it.each<[string, Partial<AuthenticateOptions>]>([
    ['there is no cluster to ask', { kubernetes: null }],
    ['nobody said which service account the agents have', { serviceAccount: null }],
  ])('refuses all where %s', async (_title, more) => {
    expect(await door({}, more).authenticate('t')).toMatchObject({ kind: 'refused', status: 403 })
  })

  it.each([null, '', 'x'.repeat(9000)])('asks nobody about what is no token', async (token) => {
    const { authenticate, world } = door()
    expect(await authenticate(token)).toMatchObject({ status: 401 })
    expect(world.reviews).toEqual([])
  })

  it('remembers it for a minute and no longer, so that a revoked token is soon worth nothing', async () => {
    const { authenticate, world, clock } = door()
    await authenticate('t')
    world.verdict = seen({ kind: 'invalid', message: 'revoked' })
    clock.advance(59_000)
    expect(await authenticate('t')).toMatchObject({ kind: 'of-node' })
    clock.advance(1000)
    expect(await authenticate('t')).toMatchObject({ status: 401 })
    expect([world.reviews.length, world.reads]).toEqual([2, 1])
  })

  it('remembers a refusal for a moment, and that nobody answered not at all', async () => {
    const { authenticate, world, clock } = door({ verdict: blind('timeout', 'x') })
    await authenticate('t')
    world.verdict = seen({ kind: 'invalid', message: 'x' })
    await authenticate('t')
    await authenticate('t')
    expect(world.reviews.length).toBe(2)
    clock.advance(5000)
    world.verdict = seen(valid)
    expect(await authenticate('t')).toMatchObject({ kind: 'of-node' })
  })

  it('asks once for one token at a time, and of no more than so many', async () => {
    const release = Promise.withResolvers<Observed<TokenVerdict>>()
    let reviews = 0
    const kubernetes = {
      reviewToken: async () => {
        reviews += 1
        return release.promise
      },
      get: async () => seen(pod('n1')),
    }
    const { authenticate } = door({}, { kubernetes })
    const same = [authenticate('t'), authenticate('t')]
    const others = Array.from({ length: 20 }, (_, index) => authenticate(`t${index}`))
    const busy = await others.at(-1)
    expect(busy).toMatchObject({ status: 503 })
    release.resolve(seen(valid))
    expect(await Promise.all(same)).toEqual([
      { kind: 'of-node', node: 'n1' },
      { kind: 'of-node', node: 'n1' },
    ])
    expect(reviews).toBe(16)
  })

  it('believes who knows the shared secret, and asks nobody', async () => {
    const secret = {
      judge: async (given: string) => (given === 's' ? ('right' as const) : ('wrong' as const)),
      fault: async () => null,
    }
    const { authenticate, world } = door({}, { secret })
    expect(await authenticate('s')).toEqual({ kind: 'any-node' })
    expect(world.reviews).toEqual([])
    expect(await authenticate('t')).toEqual({ kind: 'of-node', node: 'n1' })
  })

  it('of a crowd asks only about those who were let in before', async () => {
    const { authenticate, world, clock } = door()
    expect(await authenticate('stranger', true)).toMatchObject({ kind: 'refused', status: 401 })
    expect(world.reviews).toEqual([])
    await authenticate('guest')
    clock.advance(61_000)
    expect(await authenticate('guest', true)).toEqual({ kind: 'of-node', node: 'n1' })
    expect(world.reviews).toHaveLength(2)
    world.verdict = blind('timeout', 'x')
    clock.advance(61_000)
    expect(await authenticate('guest', true)).toMatchObject({ status: 503 })
    world.verdict = seen({ kind: 'invalid', message: 'revoked' })
    clock.advance(61_000)
    expect(await authenticate('guest', true)).toMatchObject({ kind: 'refused', status: 401 })
    clock.advance(61_000)
    await authenticate('guest', true)
    expect(world.reviews).toHaveLength(4)
  })
})
