import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { explainQueue } from './explain-queue.ts'
import type { QueueOfPool } from './explain-queue.ts'
import { NO_RULES } from './fairness.ts'
import { PARKED_UNTIL } from './job.ts'
import type { Job } from './job.ts'

const NOW = 1_000_000

function queued(id: number, changes: Partial<Job & { readonly notBefore: number }> = {}): Job {
  const facts = {
    id,
    runId: id,
    runAttempt: 1,
    repository: 'acme/app',
    workflow: 'ci',
    name: `job ${id}`,
    labels: ['linux'],
  }
  return {
    ...facts,
    scope: 'ci/linux',
    queuedAt: id,
    generation: 1,
    recoveries: 0,
    state: 'queued',
    notBefore: 0,
    ...changes,
  } as Job
}

const pool = (changes: Partial<QueueOfPool> = {}): QueueOfPool => ({
  scope: 'ci/linux',
  jobs: [],
  held: [],
  rules: NO_RULES,
  registration: 'repository',
  idle: 0,
  starting: 0,
  room: 0,
  stopped: new Map(),
  obstacle: null,
  returned: new Map(),
  unusable: null,
  ...changes,
})

describe('why a job waits', () => {
  it('follows its place: a pod that is ready, one that starts, one that is created, none', () => {
    const rows = explainQueue(pool({ jobs: [1, 2, 3, 4].map((id) => queued(id)), idle: 1, starting: 1, room: 1 }), NOW)
    expect(rows.map(({ job, place, waits }) => [job.id, place, waits])).toEqual([
      [1, 1, 'next'],
      [2, 2, 'starting'],
      [3, 3, 'pod'],
      [4, 4, 'full'],
    ])
  })

  it('is its cap, or its back-off, and then it has no place', () => {
    const rules = { ...NO_RULES, caps: new Map([['acme/api', 2]]) }
    const jobs = [
      queued(1, { repository: 'acme/api' }),
      queued(2, { notBefore: NOW + 30_000, recoveries: 2 }),
      queued(3),
    ]
    const rows = explainQueue(pool({ jobs, rules, held: [{ repository: 'acme/api', slots: 2 }], idle: 5 }), NOW)
    expect(rows.map(({ job, place, waits }) => [job.id, place, waits])).toEqual([
      [3, 1, 'next'],
      [1, null, 'cap'],
      [2, null, 'backoff'],
    ])
    expect(rows[1]?.why).toBe('acme/api holds 2 of 2 slots: it waits until one of its jobs ends')
    expect(rows[2]?.why).toBe('it went back to the queue 2 times: next attempt in 30 s')
  })

  it('is an open breaker, and then others go before it', () => {
    const stopped = new Map([[1, 'repository/acme/app keeps failing']])
    const rows = explainQueue(pool({ jobs: [queued(1), queued(2)], idle: 1, stopped }), NOW)
    expect(rows).toMatchObject([
      { job: { id: 2 }, place: 1, waits: 'next' },
      { job: { id: 1 }, place: null, waits: 'breaker', why: 'repository/acme/app keeps failing' },
    ])
  })

  it('is that it is parked, with the reason of its last return and how to put it back', () => {
    const parked = queued(7, { notBefore: PARKED_UNTIL, recoveries: 10 })
    const returned = new Map([[7, 'slot-lost' as const]])
    expect(explainQueue(pool({ jobs: [parked], idle: 1, returned, unusable: 'x' }), NOW)).toMatchObject([
      {
        place: null,
        waits: 'parked',
        why: 'parked: it went back to the queue 10 times, the last time because its pod was taken away; put it back: signalbox jobs retry 7',
      },
    ])
  })

  it('is that its pool cannot be used, or that pods of the pool do not start', () => {
    const gone = explainQueue(pool({ jobs: [queued(1)], idle: 1, unusable: 'there is no pool ci/linux' }), NOW)
    expect(gone).toMatchObject([{ place: null, waits: 'no-pool', why: 'there is no pool ci/linux' }])
    const stuck = pool({ jobs: [queued(1), queued(2)], idle: 1, starting: 1, obstacle: 'PodScheduled is False' })
    expect(explainQueue(stuck, NOW).map(({ why }) => why)).toEqual([
      'a pod is ready, it is given the job now',
      'a pod is starting for it; pods of this pool do not start: PodScheduled is False',
    ])
  })

  it('is a cap of 0, which nothing can end but another cap', () => {
    const rules = { ...NO_RULES, caps: new Map([['acme', 0]]) }
    expect(explainQueue(pool({ jobs: [queued(1)], rules }), NOW)[0]?.why).toContain('the cap of acme is 0')
  })

  it('names GitHub as the one that decides under the scope of an organisation', () => {
    const [row] = explainQueue(pool({ jobs: [queued(1)], idle: 1, registration: 'organization' }), NOW)
    expect(row?.why).toContain('GitHub decides which fitting job of the organisation a runner gets')
  })

  it('is said of every job once, and the places have no gaps', () => {
    const job = fc.record({
      id: fc.nat(50),
      repository: fc.constantFrom('acme/app', 'acme/api'),
      notBefore: fc.constantFrom(0, NOW * 2),
    })
    fc.assert(
      fc.property(fc.uniqueArray(job, { selector: ({ id }) => id }), fc.nat(5), fc.nat(5), (given, idle, cap) => {
        const jobs = given.map(({ id, ...changes }) => queued(id, changes))
        const rules = { ...NO_RULES, caps: new Map([['acme/api', cap]]) }
        const rows = explainQueue(pool({ jobs, idle, rules }), NOW)
        expect(rows.map((row) => row.job.id).toSorted((a, b) => a - b)).toEqual(
          jobs.map(({ id }) => id).toSorted((a, b) => a - b),
        )
        const places = rows.flatMap(({ place }) => place ?? [])
        expect(places).toEqual(places.map((_, index) => index + 1))
      }),
    )
  })
})
