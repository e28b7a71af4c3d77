import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { DELIVERY_OUTCOMES } from '#/core/webhooks/outcome.ts'
import type { Store } from '#/ports/store/store.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { draws } from '#test/tiers/long-run.ts'
import { emptyDatabase } from './empty-database.ts'
import { readLedger } from './ledger-commands.ts'
import { openPostgresStore } from './open-postgres-store.ts'
import { KEYS, performOnRecords, recordCommand } from './record-commands.ts'

const { connectionString } = await testDatabase()
const postgres = openPostgresStore(connectionString)
afterAll(postgres.close)

it('PostgreSQL and the memory store keep the same records', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(recordCommand, { minLength: 15, maxLength: 25, size: 'max' }), async (commands) => {
      await emptyDatabase(postgres.pool)
      const model = memoryStore()
      for (const next of commands) {
        const [expected, answered] = [await performOnRecords(model, next), await performOnRecords(postgres.store, next)]
        expect(answered).toEqual(expected)
        expect(await readAll(postgres.store)).toEqual(await readAll(model))
      }
    }),
    { numRuns: draws(60) },
  )
})

async function readAll(store: Store): Promise<unknown> {
  return await Promise.all([
    store.deliveries.pending(100),
    store.deliveries.list({ outcomes: DELIVERY_OUTCOMES, limit: 100 }),
    store.deliveries.list({ outcomes: ['applied', 'no-pool', 'parked'], limit: 2 }),
    store.deaths.list({ limit: 100 }),
    store.deaths.list({ pool: 'a', kind: 'death', limit: 2 }),
    store.deaths.list({ name: 'b', until: 500, limit: 2 }),
    store.deaths.list({ after: { diedAt: 500, uid: 'b' }, limit: 2 }),
    store.livePods.page(null, 100),
    store.livePods.page('a', 1),
    ...KEYS.map((channel) => store.notices.count(channel, 500)),
    ...KEYS.map((key) => store.notices.has('a', key)),
    readLedger(store),
    store.findings.list({ limit: 100 }),
    store.breakers.list(),
    ...KEYS.map((uid) => store.deaths.get(uid)),
    ...KEYS.map((uid) => store.deaths.history(uid)),
  ])
}
