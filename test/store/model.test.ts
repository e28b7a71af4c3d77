import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Job } from '#/core/dispatch/job.ts'
import type { Store } from '#/ports/store/store.ts'
import { AnswerCount } from '#test/core/table-answers.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { JOB_IDS, PRELUDE, command } from './commands.ts'
import { emptyDatabase } from './empty-database.ts'
import { openPostgresStore } from './open-postgres-store.ts'
import { Performer } from './perform.ts'
import { witness } from './witness.ts'

const { connectionString } = await testDatabase()
const postgres = openPostgresStore(connectionString)
afterAll(postgres.close)

/** Fixed sequences, which reach every answer, then random ones, which need not. */
const RUNS = LONG_RUN ? [{ numRuns: 40, seed: 45 }, { numRuns: 60 }] : [{ numRuns: 12 }]

it('PostgreSQL and the memory store answer the same to any sequence of commands', { timeout: 600_000 }, async () => {
  const answers = new AnswerCount()
  const commandsOfAnyKind = fc.array(command, { minLength: 30, maxLength: 40, size: 'max' })
  const answerAlike = fc.asyncProperty(commandsOfAnyKind, async (commands) => {
    await emptyDatabase(postgres.pool)
    const [model, real] = [
      new Performer(witness(memoryStore(), (changes) => answers.add(changes))),
      new Performer(postgres.store),
    ]
    for (const next of [...PRELUDE, ...commands]) {
      const before = await model.store.assignments.jobs({ limit: 100 })
      const [expected, answered] = [await model.perform(next), await real.perform(next)]
      expect(answered).toEqual(expected)
      const changed = changedJobs(before, await model.store.assignments.jobs({ limit: 100 }))
      expect(await readAll(real.store, changed)).toEqual(await readAll(model.store, changed))
    }
    expect(await readAll(real.store, JOB_IDS)).toEqual(await readAll(model.store, JOB_IDS))
  })
  for (const runs of RUNS) await fc.assert(answerAlike, runs)
  // An answer that the commands never reach was never compared.
  if (LONG_RUN) expect(answers.missing()).toEqual([])
})

/** Everything that can be read of the assignments; histories of these jobs only, since most do not change in a step. */
async function readAll({ assignments }: Store, ids: readonly number[]): Promise<unknown> {
  return await Promise.all([
    assignments.jobs({ limit: 100 }),
    assignments.slots({ limit: 100 }),
    ...ids.map((id) => assignments.history(id)),
  ])
}

function changedJobs(before: readonly Job[], after: readonly Job[]): readonly number[] {
  return JOB_IDS.filter((id) => before.find((job) => job.id === id) !== after.find((job) => job.id === id))
}
