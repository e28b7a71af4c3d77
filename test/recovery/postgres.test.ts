import { afterAll } from 'vitest'
import { emptyDatabase } from '#test/store/empty-database.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { recoveryScenarios } from './scenarios.ts'

const { connectionString } = await testDatabase()
const opened = openPostgresStore(connectionString)
afterAll(opened.close)

recoveryScenarios('PostgreSQL', async () => {
  await emptyDatabase(opened.pool)
  return opened
})
