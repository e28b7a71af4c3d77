import { afterAll, expect, it } from 'vitest'
import { NO_RULES } from '#/core/dispatch/fairness.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { jobFacts, queued, recordAll } from '#test/contracts/store-builders.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { askAt } from './dispatch-server.ts'
import { SCOPE } from './own-pods.ts'
import { reachableWorld } from './reachable-world.ts'

const JOBS = LONG_RUN ? 1000 : 120
const CAP = 3
const CAPPED = 'acme/api'

const { connectionString } = await testDatabase()
const opened = openPostgresStore(connectionString)
afterAll(opened.close)
const { assignments } = opened.store
const pool = declarePool('linux', { fairness: { ...NO_RULES, caps: new Map([[CAPPED, CAP]]) } })
const { world, putPods, start } = reachableWorld(connectionString, pool)

const repositoryOf = (job: number): string => (job % 2 === 0 ? CAPPED : 'acme/app')

/** A pod that asks until it gets a job, runs it, and ends. The job that it got. */
async function live(uid: string, url: string): Promise<number> {
  for (;;) {
    const { status, body } = await askAt(url, uid)
    if (status === 204 || status === 429) continue
    expect({ uid, status, reason: body.reason }).toEqual({ uid, status: 200, reason: undefined })
    const slot = await assignments.slot(uid)
    const job = slot !== null && slot.state === 'minted' ? (slot.intended ?? 0) : 0
    const runner = body.runner ?? { id: 0, name: '' }
    const facts = jobFacts(job, { scope: SCOPE, repository: repositoryOf(job) })
    await recordAll(
      opened.store,
      { kind: 'job-started', at: 1e6, facts, runner },
      { kind: 'job-completed', at: 1e6 + 1, facts, runner, conclusion: 'success' },
    )
    return job
  }
}

it('two replicas give each job out once, and exceed no cap', { timeout: 300_000 }, async () => {
  const replicas = [await start(), await start()]
  const most = { held: 0 }
  world.onMint = async () => {
    const held = await assignments.jobs({ states: ['claimed', 'minted', 'executing'], scope: SCOPE, limit: 1000 })
    most.held = Math.max(most.held, held.filter(({ repository }) => repository === CAPPED).length)
    return null
  }
  const uids = Array.from({ length: JOBS }, (_, index) => `pod-${index}`)
  putPods(...uids)
  const lives = uids.map((uid, index) => live(uid, replicas[index % replicas.length]?.url ?? ''))
  for (let job = 1; job <= JOBS; job += 1) {
    await recordAll(opened.store, queued(job, { scope: SCOPE, repository: repositoryOf(job) }))
  }
  const given = await Promise.all(lives)
  expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: JOBS }, (_, index) => index + 1))
  expect(most.held).toBeGreaterThan(0)
  expect(most.held).toBeLessThanOrEqual(CAP)
  const finished = await assignments.jobs({ states: ['finished'], scope: SCOPE, limit: 2 * JOBS })
  expect(finished.map(({ recoveries }) => recoveries)).toEqual(Array.from({ length: JOBS }, () => 0))
  // Both took part.
  const served = replicas.map(({ exposed }) => Number(/reason="job"\} (\d+)/u.exec(exposed())?.[1]))
  expect(Math.min(...served)).toBeGreaterThan(0)
})
