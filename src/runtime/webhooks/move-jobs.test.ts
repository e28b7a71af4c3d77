import { expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { pickJobFacts } from '#/core/dispatch/job.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { queued, recordAll } from '#test/contracts/store-builders.ts'
import { moveJobs } from './move-jobs.ts'

const clock = { now: () => 100 }
const linux = { repository: 'acme/app', labels: ['self-hosted', 'linux'], scope: 'runners/old' }

it('queued jobs of a pool that was renamed wait in the pool that fits them now, with a line in their history', async () => {
  const store = memoryStore()
  await recordAll(store, queued(1, linux), queued(2, { ...linux, repository: 'acme/secret' }))
  const { assignments } = store
  expect(await moveJobs([declarePool('new')], { assignments, clock })).toBe(1)
  expect((await assignments.job(1))?.scope).toBe('runners/new')
  expect((await assignments.history(1)).at(-1)).toMatchObject({ event: { kind: 'moved', scope: 'runners/new' } })
  // No pool serves its repository.
  expect((await assignments.job(2))?.scope).toBe('runners/old')
  expect(await moveJobs([declarePool('new')], { assignments, clock })).toBe(0)
})

it('a job that is given a pod meanwhile stays where it is', async () => {
  const store = memoryStore()
  await recordAll(store, queued(1, linux))
  const { assignments } = store
  const jobs: typeof assignments.jobs = async (filter) => {
    const listed = await assignments.jobs(filter)
    const [job] = listed
    if (job !== undefined) {
      const runner = { id: 1, name: 'r' }
      await recordAll(store, { kind: 'job-started', at: 50, facts: pickJobFacts(job), runner })
    }
    return listed
  }
  expect(await moveJobs([declarePool('new')], { assignments: { ...assignments, jobs }, clock })).toBe(0)
  expect(await assignments.job(1)).toMatchObject({ state: 'executing', scope: 'runners/old' })
})
