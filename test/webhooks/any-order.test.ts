import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Store } from '#/ports/store/store.ts'
import { appeared, mint, queued, recordAll } from '#test/contracts/store-builders.ts'
import { draws } from '#test/tiers/long-run.ts'
import { completed, COMPLETED_AT, inProgress, jobPayload, webhookWorld } from './webhook-world.ts'

const JOBS = [1, 2, 3]
const runnerOf = (job: number) => ({ runner_id: job, runner_name: `runner-${job}` })
/** The whole life of three jobs; GitHub gave the second and the third to each other's runners. */
const LIVES = JOBS.flatMap((id) => {
  const runner = runnerOf(id === 1 ? 1 : 5 - id)
  return [jobPayload({ id }), jobPayload(inProgress({ id, ...runner })), jobPayload(completed({ id, ...runner }))]
})

type Step = { readonly delivery: number; readonly guid: number; readonly applies: boolean }

const anyOrder: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.shuffledSubarray(
      LIVES.map((_, index) => index),
      { minLength: LIVES.length },
    ),
    fc.array(fc.nat(LIVES.length - 1), { maxLength: 10 }),
    fc.infiniteStream(fc.tuple(fc.boolean(), fc.nat(2))),
  )
  .map(([all, repeated, chance]) => {
    const order = [...all, ...repeated]
    return order.map((delivery) => {
      const drawn: IteratorResult<readonly [boolean, number], unknown> = chance.next()
      const [applies, guid] = drawn.done === true ? ([true, 0] as const) : drawn.value
      return { delivery, guid, applies }
    })
  })

async function endOf(steps: readonly Step[]): Promise<unknown> {
  const world = webhookWorld()
  const { assignments } = world.store
  for (const id of JOBS) await mintSlot(world.store, id)
  for (const { delivery, guid, applies } of steps) {
    await world.send({ payload: LIVES[delivery], guid: `${delivery}-${guid}` })
    world.clock.advance(1)
    if (applies) await world.worker.applyDue()
  }
  await world.worker.applyDue()
  expect(await world.store.deliveries.pending(100)).toEqual([])
  const jobs = await Promise.all(JOBS.map(async (id) => await assignments.job(id)))
  const slots = await assignments.slots({ limit: 10 })
  return {
    jobs: jobs.map((job) => [
      job?.id,
      job?.state,
      job !== null && 'runner' in job && job.runner,
      job !== null && 'finishedAt' in job && [job.conclusion, job.finishedAt],
    ]),
    slots: slots.map((slot) => [
      slot.uid,
      slot.state,
      'executed' in slot && [slot.executed, slot.runner, slot.endedAt],
    ]),
  }
}

/** Each job has a slot that was minted for it before GitHub's first word about its runner. */
async function mintSlot(store: Store, id: number): Promise<void> {
  const [uid, scope] = [`slot-${id}`, 'runners/linux']
  await recordAll(store, queued(1000 + id, { scope, repository: 'acme/app' }), appeared(uid, { scope }))
  await store.assignments.match({ scope, waiting: [uid], jobLimit: 10, at: 5000 }, () => [
    { job: 1000 + id, slot: uid },
  ])
  await mint(store, uid, { id, name: `runner-${id}` })
}

describe('deliveries in any order, repeated under the same and other GUIDs', () => {
  it('end in the same state of jobs and slots', { timeout: 300_000 }, async () => {
    const inOrder = await endOf(LIVES.map((_, delivery) => ({ delivery, guid: 0, applies: true })))
    expect(inOrder).toMatchObject({
      jobs: JOBS.map((id) => [id, 'finished', {}, ['success', COMPLETED_AT]]),
      slots: [
        ['slot-1', 'ended', [1, {}, COMPLETED_AT]],
        ['slot-2', 'ended', [3, {}, COMPLETED_AT]],
        ['slot-3', 'ended', [2, {}, COMPLETED_AT]],
      ],
    })
    await fc.assert(
      fc.asyncProperty(anyOrder, async (steps) => {
        expect(await endOf(steps)).toEqual(inOrder)
      }),
      { numRuns: draws(1000) },
    )
  })
})
