import { describe, expect, it } from 'vitest'
import { blind, seen, seenList } from '#/core/basics/observed.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { Store } from '#/ports/store/store.ts'
import { appeared, getJob, getSlot, mint, recordAll } from '#test/contracts/store-builders.ts'
import {
  completed,
  COMPLETED_AT,
  inProgress,
  jobPayload,
  OUR_RUNNER,
  STARTED_AT,
  webhookWorld,
} from './webhook-world.ts'

const SCOPE = 'runners/linux'
const RUNNER = { id: OUR_RUNNER.runner_id, name: OUR_RUNNER.runner_name }

/** A slot whose runner was minted for the job. */
async function mintFor(store: Store, job: number, uid = 'a', runner = RUNNER): Promise<void> {
  const scope = SCOPE
  await recordAll(store, appeared(uid, { scope }))
  const claims = await store.assignments.match({ scope, waiting: [uid], jobLimit: 10, at: 1e15 }, () => [
    { job, slot: uid },
  ])
  expect(claims).toHaveLength(1)
  await mint(store, uid, runner)
}

async function deliver(world: ReturnType<typeof webhookWorld>, ...payloads: readonly unknown[]): Promise<void> {
  for (const payload of payloads) {
    expect((await world.send({ payload })).status).toBe(202)
    world.clock.advance(1)
  }
  await world.worker.applyDue()
}

const outcomes = async (world: ReturnType<typeof webhookWorld>): Promise<readonly string[]> =>
  (await world.rows()).map(({ outcome }) => outcome)

describe('a delivery that is applied', () => {
  it('queues a job in the scope of its pool, under its own id', async () => {
    const world = webhookWorld()
    await deliver(world, jobPayload({}))
    expect(await getJob(world.store.assignments, 1)).toMatchObject({
      state: 'queued',
      scope: SCOPE,
      repository: 'acme/app',
      labels: ['self-hosted', 'linux'],
    })
    expect(world.counts()).toEqual({ applied: 1 })
  })

  it('binds the job that GitHub started to the slot of the runner, and closes both with GitHub’s own times', async () => {
    const world = webhookWorld()
    await deliver(world, jobPayload({}))
    await mintFor(world.store, 1)
    await deliver(world, jobPayload(inProgress()))
    const { assignments } = world.store
    expect(await getJob(assignments, 1)).toMatchObject({ state: 'executing', runner: RUNNER, startedAt: STARTED_AT })
    expect(await getSlot(assignments, 'a')).toMatchObject({ state: 'executing', executing: 1 })
    await deliver(world, jobPayload(completed()))
    expect(await getJob(assignments, 1)).toMatchObject({ state: 'finished', finishedAt: COMPLETED_AT })
    expect(await getSlot(assignments, 'a')).toMatchObject({ state: 'ended', executed: 1, endedAt: COMPLETED_AT })
    expect(await outcomes(world)).toEqual(['applied', 'applied', 'applied'])
  })

  it('swaps the intents where GitHub gave the runner another job', async () => {
    const world = webhookWorld()
    await deliver(world, jobPayload({}), jobPayload({ id: 2 }))
    await mintFor(world.store, 1)
    await mintFor(world.store, 2, 'b', { id: 8, name: 'linux-b-1' })
    await deliver(world, jobPayload(inProgress({ id: 2 })))
    const { assignments } = world.store
    expect(await getSlot(assignments, 'a')).toMatchObject({ state: 'executing', executing: 2 })
    expect(await getSlot(assignments, 'b')).toMatchObject({ state: 'minted', intended: 1 })
    expect(await getJob(assignments, 1)).toMatchObject({ state: 'minted', slot: 'b', recoveries: 0 })
  })

  it('adopts a job that was never queued, on our runner and on another that has our labels', async () => {
    const world = webhookWorld()
    await deliver(world, jobPayload({}))
    await mintFor(world.store, 1)
    await deliver(world, jobPayload(inProgress({ id: 2 })), jobPayload(inProgress({ id: 3, runner_name: 'theirs' })))
    const { assignments } = world.store
    expect(await getSlot(assignments, 'a')).toMatchObject({ state: 'executing', executing: 2 })
    expect(await getJob(assignments, 1)).toMatchObject({ state: 'queued' })
    expect(await getJob(assignments, 3)).toMatchObject({ state: 'executing', scope: SCOPE })
  })

  it('releases by the runner that executed: a slot that was only intended for the job stays', async () => {
    const world = webhookWorld()
    await deliver(world, jobPayload({}))
    await mintFor(world.store, 1)
    await deliver(world, jobPayload(completed({ runner_id: 9, runner_name: 'theirs' })))
    expect(await getSlot(world.store.assignments, 'a')).toMatchObject({ state: 'minted', intended: null })
  })

  it('is final where the end comes before the queue', async () => {
    const world = webhookWorld()
    await deliver(world, jobPayload(completed()), jobPayload(inProgress()), jobPayload({}))
    expect(await getJob(world.store.assignments, 1)).toMatchObject({ state: 'finished', conclusion: 'success' })
    expect(await outcomes(world)).toEqual(['applied', 'stale', 'stale'])
  })

  it('is known by what executes it, also where the pool has lost its labels or is gone', async () => {
    const world = webhookWorld()
    await deliver(world, jobPayload({}))
    await mintFor(world.store, 1)
    world.setPools(seenList([declarePool('linux', { labels: ['other'] })]))
    await deliver(world, jobPayload(inProgress({ id: 2 })))
    expect(await getSlot(world.store.assignments, 'a')).toMatchObject({ executing: 2 })
    world.setPools(seenList([declarePool('elsewhere', { github: { owner: 'other' } })]))
    await deliver(world, jobPayload(completed({ id: 2 })))
    expect(await getSlot(world.store.assignments, 'a')).toMatchObject({ state: 'ended', executed: 2 })
  })

  it('does nothing for a job that waits for an approval, whatever its action says', async () => {
    const world = webhookWorld()
    await deliver(world, { ...jobPayload({ status: 'waiting' }), action: 'queued' })
    expect(await world.store.assignments.job(1)).toBe(null)
    expect(await world.rows()).toMatchObject([
      { outcome: 'applied', why: expect.stringContaining('waiting') as string },
    ])
  })

  it('is a duplicate under another GUID, and is not stored again under its own', async () => {
    const world = webhookWorld()
    await deliver(world, jobPayload({}), jobPayload({}))
    expect(await outcomes(world)).toEqual(['applied', 'duplicate'])
    const again = { payload: jobPayload({ id: 5 }), guid: 'the-same' }
    expect(await (await world.send(again)).json()).toMatchObject({ delivery: 'the-same', stored: 'new' })
    expect(await (await world.send(again)).json()).toMatchObject({ stored: 'repeated' })
    await world.worker.applyDue()
    expect(world.counts()).toEqual({ applied: 2, duplicate: 2 })
  })
})

describe('a delivery that fits nothing', () => {
  const world = () => webhookWorld({ installations: { id: 1, owners: ['other/app'] } })

  it.each([
    ['no-installation', jobPayload({}, { installation: 2 }), 'installation 2 is not 1'],
    ['no-installation', jobPayload({}, { repository: 'evil/app' }), 'names evil (installation 1)'],
    ['no-pool', jobPayload({ labels: ['self-hosted', 'Linux', 'gpu'] }), 'runners/linux, which lacks gpu'],
    ['no-pool', jobPayload({}, { repository: 'other/app' }), 'no pool for other/app has the labels self-hosted, linux'],
    ['no-pool', jobPayload({ labels: ['windows'] }), 'no pool for acme/app has the labels windows'],
    ['no-pool', jobPayload(completed({ labels: ['windows'] })), 'no pool'],
    [
      'unknown-runner',
      jobPayload(inProgress({ labels: ['windows'] })),
      'the runner linux-a-1 is not ours, and no pool',
    ],
    ['unknown-runner', jobPayload(inProgress({ runner_name: '' })), 'names no runner'],
    ['parked', jobPayload({ status: 'dreaming' }), 'a status that this version does not know'],
  ])('is %s, in words, and changes nothing (%#)', async (outcome, payload, why) => {
    const one = world()
    await deliver(one, payload)
    expect(await one.rows()).toMatchObject([{ outcome, why: expect.stringContaining(why) as string, job: 1 }])
    expect(one.counts()).toEqual({ [outcome]: 1 })
    expect(await one.store.assignments.jobs({ limit: 10 })).toEqual([])
  })

  it('is ambiguous where two pools fit equally well', async () => {
    const one = world()
    one.setPools(seenList([declarePool('linux'), declarePool('twin')]))
    await deliver(one, jobPayload({}))
    expect(await one.rows()).toMatchObject([
      { outcome: 'ambiguous-pool', why: 'runners/linux and runners/twin fit the labels equally well' },
    ])
  })

  it('is looked at again where GitHub sends it again under its GUID', async () => {
    const one = world()
    one.setPools(seenList<never>([]))
    const sent = { payload: jobPayload({}), guid: 'again' }
    await one.send(sent)
    await one.worker.applyDue()
    expect(await outcomes(one)).toEqual(['no-installation'])
    one.setPools(seen([declarePool('linux')]))
    expect(await (await one.send(sent)).json()).toMatchObject({ stored: 'again' })
    await one.worker.applyDue()
    expect(await outcomes(one)).toEqual(['applied'])
  })

  it('waits while the pools are not known', async () => {
    const one = world()
    one.setPools(blind('unreachable', 'the API server does not answer'))
    await deliver(one, jobPayload({}))
    for (let round = 0; round < 50; round += 1) {
      one.clock.advance(1000)
      await one.worker.applyDue()
    }
    expect([await outcomes(one), await one.store.deliveries.pending(10)]).toMatchObject([[], [{ job: 1 }]])
    one.setPools(seen([declarePool('linux')]))
    one.clock.advance(1000)
    await one.worker.applyDue()
    expect(await outcomes(one)).toEqual(['applied'])
  })
})

describe('a forged runner name', () => {
  const FORGED = [inProgress({ id: 66 }), completed({ id: 66 }), inProgress({ id: 66, runner_id: 0 })]

  it.each([
    ['another installation', { installation: 2 }],
    ['an owner without a pool', { repository: 'evil/app' }],
    ['an owner with a pool', { repository: 'other/app' }],
    ['a repository that the pool does not serve', { repository: 'acme/secrets' }],
  ])('of %s moves no slot of ours', async (_, from) => {
    const world = webhookWorld({ installations: { id: 1, owners: [] } })
    const theirs = declarePool('theirs', { github: { owner: 'other' } })
    world.setPools(seenList([declarePool('linux'), theirs]))
    await deliver(world, jobPayload({}))
    await mintFor(world.store, 1)
    const before = [await getSlot(world.store.assignments, 'a'), await getJob(world.store.assignments, 1)]
    await deliver(world, ...FORGED.map((job) => jobPayload(job, from)))
    expect([await getSlot(world.store.assignments, 'a'), await getJob(world.store.assignments, 1)]).toEqual(before)
    expect(await world.store.deliveries.pending(10)).toEqual([])
  })

  it('does not end a slot that executes', async () => {
    const world = webhookWorld()
    world.setPools(seenList([declarePool('linux'), declarePool('theirs', { github: { owner: 'other' } })]))
    await deliver(world, jobPayload({}))
    await mintFor(world.store, 1)
    await deliver(world, jobPayload(inProgress()))
    await deliver(world, ...FORGED.map((job) => jobPayload(job, { repository: 'other/app' })))
    expect(await getSlot(world.store.assignments, 'a')).toMatchObject({ state: 'executing', executing: 1 })
  })
})
