import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { blind } from '#/core/basics/observed.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { DRAIN_LABEL, POOL_LABEL, TEMPLATE_ANNOTATION } from '#/core/pools/own-pod.ts'
import type { MintOutcome } from '#/ports/github.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { getJob, getSlot, jobFacts, queued, recordAll } from '#test/contracts/store-builders.ts'
import { dispatchWorld } from '#test/dispatch/dispatch-world.ts'
import { ownPod, SCOPE } from '#test/dispatch/own-pods.ts'
import { NOON_MS } from '#test/github/hand-clock.ts'
import type { Reviewed } from './token-reviews.ts'

const JOB = { scope: SCOPE, repository: 'acme/app' }

async function start(pool = declarePool('linux')) {
  const store = memoryStore()
  const started = dispatchWorld(store, pool)
  await recordAll(store, queued(1, JOB))
  return { store, ...started }
}

describe('a pod that asks for a job', () => {
  it('gets the runner for it, and the store knows before', async () => {
    const { ask, store, minted, patched, breakers, handedOut } = await start()
    const answer = await ask('a')
    expect(answer).toMatchObject({ kind: 'job', slot: 'a', runner: { id: 1, name: 'linux-a-00000001' } })
    expect(answer.kind === 'job' && answer.jit.reveal()).toBe('jit of linux-a-00000001')
    expect(minted).toMatchObject([
      { at: { kind: 'repository', repository: 'acme/app' }, order: { groupId: 1, labels: ['self-hosted', 'linux'] } },
    ])
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'minted', slot: 'a' })
    expect(await getSlot(store.assignments, 'a')).toMatchObject({
      state: 'minted',
      intended: 1,
      node: 'n1',
      runner: { id: 1, name: 'linux-a-00000001' },
    })
    expect(patched).toMatchObject([
      {
        namespace: 'runners',
        name: 'linux-a',
        preconditions: { uid: 'a' },
        patch: { changes: { metadata: { labels: { 'signalbox.dev/owner': 'acme' } } } },
      },
    ])
    expect(breakers.successes).toEqual(['credential/github-app', 'owner/acme', 'repository/acme/app'])
    expect(handedOut).toEqual([1])
  })

  it.each(['acme/secret', 'initech/app'])(
    'gets no job of %s, which its pool does not serve any more',
    async (repository) => {
      const { ask, store } = await start()
      await recordAll(store, queued(2, { ...JOB, repository }))
      expect(await ask('a')).toMatchObject({ kind: 'job' })
      expect(await ask('b')).toEqual({ kind: 'no-job' })
      expect(await getJob(store.assignments, 2)).toMatchObject({ state: 'queued', recoveries: 0 })
    },
  )

  it('ends if somebody has moved it to another pool', async () => {
    const { ask, ownPods } = await start(declarePool('other'))
    await ask('a')
    ownPods.put(ownPod('a', { labels: { [POOL_LABEL]: 'other' } }))
    expect(await ask('a')).toMatchObject({ kind: 'refused', reason: 'drained' })
  })

  it('gets nothing where there is nothing, and its slot is known', async () => {
    const { ask, store } = await start()
    await ask('a')
    expect(await ask('b')).toEqual({ kind: 'no-job' })
    expect(await getSlot(store.assignments, 'b')).toMatchObject({
      state: 'warm',
      pod: 'linux-b',
      appearedAt: NOON_MS - 3_600_000,
    })
  })

  it('that lost its answer gets no second one', async () => {
    const { ask, minted } = await start()
    await ask('a')
    expect(await ask('a')).toMatchObject({ kind: 'refused', reason: 'committed' })
    expect(minted).toHaveLength(1)
  })

  it.each<[string, Reviewed, string]>([
    ['the token is not valid', { kind: 'invalid', why: 'x' }, 'token-invalid'],
    ['too many tokens are reviewed', { kind: 'busy' }, 'busy'],
    ['nobody reviews tokens', { kind: 'blind', why: 'x' }, 'cluster-unavailable'],
    ['the pod is gone', { kind: 'of-pod', pod: { uid: 'gone', name: 'linux-a', namespace: 'runners' } }, 'pod-gone'],
    [
      'the token is of another namespace',
      { kind: 'of-pod', pod: { uid: 'a', name: 'linux-a', namespace: 'other' } },
      'token-invalid',
    ],
    [
      'the pod has another name',
      { kind: 'of-pod', pod: { uid: 'a', name: 'b', namespace: 'runners' } },
      'token-invalid',
    ],
  ])('is refused where %s', async (_title, review, reason) => {
    const { ask, world, minted } = await start()
    world.review = review
    expect(await ask('a')).toMatchObject({ kind: 'refused', reason })
    expect(minted).toEqual([])
  })

  it.each([
    ['it is drained', ownPod('a', { labels: { [POOL_LABEL]: 'linux', [DRAIN_LABEL]: 'true' } }), 'drained'],
    [
      'the rollout drains it',
      ownPod('a', {
        labels: { [POOL_LABEL]: 'linux', [DRAIN_LABEL]: 'true' },
        annotations: { [TEMPLATE_ANNOTATION]: 't0' },
      }),
      'stale-template',
    ],
    ['it is going', ownPod('a', { deletionTimestamp: '2026-11-15T12:00:00Z' }), 'pod-gone'],
    ['it is of no pool', ownPod('a', { labels: {} }), 'token-invalid'],
  ])('is refused where %s', async (_title, pod, reason) => {
    const { ask, ownPods } = await start()
    ownPods.put(pod)
    expect(await ask('a')).toMatchObject({ kind: 'refused', reason })
  })

  it('of a former template that nobody drains gets its job', async () => {
    const { ask, ownPods } = await start()
    ownPods.put(ownPod('a', { annotations: { [TEMPLATE_ANNOTATION]: 't0' } }))
    expect(await ask('a')).toMatchObject({ kind: 'job' })
  })

  it('is refused while the pods are not watched', async () => {
    const { ask, ownPods } = await start()
    ownPods.put(ownPod('a'))
    ownPods.blind = blind('unreachable', 'x')
    expect(await ask('a')).toMatchObject({ reason: 'cluster-unavailable' })
  })

  it('waits while its pool has a mistake', async () => {
    const { ask } = await start(declarePool('other'))
    expect(await ask('a')).toEqual({ kind: 'no-job' })
  })

  it('hears that the store is away', async () => {
    const { assignments } = memoryStore()
    const slot = async () => {
      throw new StoreUnavailable('x')
    }
    const { ask } = dispatchWorld({ assignments: { ...assignments, slot } })
    expect(await ask('a')).toMatchObject({ reason: 'store-unavailable' })
  })

  it('is not kept from its job by a cluster that does not take the label', async () => {
    const { ask, world, warnings } = await start()
    world.patch = async () => ({ kind: 'forbidden', message: 'no' })
    expect(await ask('a')).toMatchObject({ kind: 'job' })
    expect(warnings).toEqual(['the label of the owner could not be set'])
  })
})

describe('breakers', () => {
  const open = (key: string) => [{ key, why: 'it failed', until: NOON_MS + 7000 }]

  it.each(['credential/github-app', 'node/n1'])('stop a pod by %s', async (key) => {
    const { ask, breakers, store } = await start()
    breakers.opened = open(key)
    expect(await ask('a')).toMatchObject({ reason: 'breaker-open', retryAfterMs: 7000 })
    expect(await store.assignments.slot('a')).toBeNull()
  })

  it('leave out the jobs of a repository, and others go on', async () => {
    const { ask, breakers, store } = await start()
    await recordAll(store, queued(2, { ...JOB, repository: 'acme/api', queuedAt: 99 }))
    breakers.opened = open('repository/acme/app')
    expect(await ask('a')).toMatchObject({ kind: 'job' })
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'queued', recoveries: 0 })
    expect(await getJob(store.assignments, 2)).toMatchObject({ state: 'minted' })
  })

  it('that open between the claim and the mint send the job back', async () => {
    const { ask, breakers, store, minted } = await start()
    breakers.isOpen = async (key) => ({ key, why: 'it failed', until: NOON_MS + 7000 })
    expect(await ask('a')).toMatchObject({ reason: 'breaker-open', retryAfterMs: 7000 })
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'queued', recoveries: 1 })
    expect(minted).toEqual([])
  })
})

describe('a runner that is not registered', () => {
  const ORGANIZATION = declarePool('linux', { github: { scope: 'organization', repositories: [], runnerGroup: 'GPU' } })

  it.each<[string, MintOutcome, readonly object[]]>([
    ['forbidden', { kind: 'refused', why: 'forbidden', detail: 'x' }, [{ key: 'owner/acme' }]],
    ['absent', { kind: 'refused', why: 'absent', detail: 'x' }, [{ key: 'repository/acme/app' }]],
    ['invalid', { kind: 'refused', why: 'invalid', detail: 'x' }, []],
    ['held back', { kind: 'rate-limited', until: 5, detail: 'x' }, [{ key: 'credential/github-app', until: 5 }]],
    ['unknown', { kind: 'blind', reason: { code: 'server-error', detail: 'x' } }, [{ key: 'credential/github-app' }]],
  ])('because it was %s: its job goes back, counted where it failed', async (_title, outcome, failures) => {
    const { ask, world, breakers, store } = await start()
    world.mint = async () => outcome
    expect(await ask('a')).toMatchObject({ reason: 'github-unavailable' })
    expect(breakers.failures).toMatchObject(failures)
    expect(breakers.failures).toHaveLength(failures.length)
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'queued', recoveries: 1 })
    const history = await store.assignments.history(1)
    expect(history.at(-1)?.event).toMatchObject({ kind: 'returned', reason: 'mint-failed' })
    expect(await getSlot(store.assignments, 'a')).toMatchObject({ state: 'warm' })
  })

  it('in time sends its job back', async () => {
    const { ask, world, clock, store } = await start()
    world.mint = async ({ signal }) => {
      queueMicrotask(() => clock.advance(10_000))
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      return { kind: 'blind', reason: { code: 'stopped', detail: 'x' } }
    }
    expect(await ask('a')).toMatchObject({ reason: 'github-unavailable' })
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'queued' })
  })

  it('because its name is taken gets another, once', async () => {
    const { ask, world, minted } = await start()
    world.mint = async () => (minted.length === 1 ? { kind: 'name-taken' } : null)
    expect(await ask('a')).toMatchObject({ kind: 'job', runner: { name: 'linux-a-00000002' } })
    world.mint = async () => ({ kind: 'name-taken' })
    const again = await start()
    again.world.mint = world.mint
    expect(await again.ask('a')).toMatchObject({ reason: 'github-unavailable' })
    expect([again.minted.length, again.breakers.failures]).toEqual([2, []])
  })

  it('of an organisation is of its runner group, which is asked for once', async () => {
    const { ask, world, minted, store } = await start(ORGANIZATION)
    world.groups = [
      { id: 1, name: 'Default' },
      { id: 7, name: 'gpu' },
    ]
    await recordAll(store, queued(2, JOB))
    await ask('a')
    world.groups = []
    await ask('b')
    expect(minted.map(({ at, order }) => [at.kind, order.groupId])).toEqual([
      ['organization', 7],
      ['organization', 7],
    ])
  })

  it('because there is no such group says so', async () => {
    const { ask, minted } = await start(ORGANIZATION)
    expect(await ask('a')).toMatchObject({ detail: expect.stringContaining('no runner group GPU') as string })
    expect(minted).toEqual([])
  })
})

describe('a slot that is aimed at another job meanwhile', () => {
  const B = { id: 2, name: 'runner-b' }

  /** GitHub gives the job of slot a to the runner of slot b while that of a is minted. */
  async function swap(pool = declarePool('linux'), repository = 'acme/app') {
    const started = await start(pool)
    const { store, world, ask } = started
    await ask('b')
    const [slot] = await store.assignments.slots({ states: ['minted'], limit: 1 })
    const runner = slot !== undefined && slot.state === 'minted' ? slot.runner : B
    await recordAll(store, queued(2, { ...JOB, repository }))
    world.mint = async () => {
      const facts = jobFacts(2, { ...JOB, repository })
      await recordAll(store, { kind: 'job-started', at: 5, facts, runner })
      return null
    }
    return started
  }

  it('is minted for that one', async () => {
    const { ask, store } = await swap()
    expect(await ask('a')).toMatchObject({ kind: 'job', slot: 'a' })
    expect(await getSlot(store.assignments, 'a')).toMatchObject({ state: 'minted', intended: 1 })
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'minted', slot: 'a' })
  })

  it('gets no runner of another repository', async () => {
    const { ask, store, warnings } = await swap(declarePool('linux'), 'acme/api')
    expect(await ask('a')).toEqual({ kind: 'no-job' })
    expect(await getSlot(store.assignments, 'a')).toMatchObject({ state: 'warm' })
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'queued', recoveries: 1 })
    expect(warnings).toContain('a runner was registered whose job has gone')
  })

  it('or at none, because its job has ended, gets nothing', async () => {
    const { ask, store, world } = await start()
    world.mint = async () => {
      const facts = jobFacts(1, JOB)
      await recordAll(store, { kind: 'job-completed', at: 5, facts, runner: null, conclusion: 'cancelled' })
      return null
    }
    expect(await ask('a')).toEqual({ kind: 'no-job' })
    expect(await getSlot(store.assignments, 'a')).toMatchObject({ state: 'warm' })
  })
})
