import { defineConfig } from 'vitest/config'
import { sortSuites } from './test/tiers/suites.ts'

const ON_A_CLUSTER = ['src/**/*.cluster.test.ts', 'test/**/*.cluster.test.ts']
const POSTGRES = 'test/postgres/global-setup.ts'

const suites = sortSuites(import.meta.dirname)
/** No test is about how fast the machine is: these end what hangs. */
const shared = { testTimeout: 180_000, hookTimeout: 300_000, setupFiles: ['test/tiers/seed.ts'] }
const alone = { ...shared, pool: 'forks' as const }

/**
 * `npm test` runs `units` and `processes`, `npm run test:cluster` and `npm run test:long` the other two. What a suite imports
 * decides where it runs (`test/tiers/suites.ts`).
 */
const config = defineConfig({
  test: {
    // Many suites wait for a server or a process, so more of them than cores may run.
    maxWorkers: 3,
    // A PostgreSQL on a busy machine takes its time to stop, and is left behind when vitest does not wait.
    teardownTimeout: 120_000,
    projects: [
      { test: { ...shared, name: 'units', pool: 'threads', isolate: false, include: [...suites.units] } },
      { test: { ...alone, name: 'processes', include: [...suites.processes], globalSetup: [POSTGRES] } },
      {
        test: {
          ...alone,
          name: 'long',
          include: [...suites.long],
          env: { SIGNALBOX_TEST_LONG: '1' },
          globalSetup: [POSTGRES],
        },
      },
      {
        test: {
          ...alone,
          name: 'cluster',
          include: ON_A_CLUSTER,
          // Pods start slowly on a busy machine.
          hookTimeout: 400_000,
          setupFiles: [...shared.setupFiles, 'test/cluster/end-with-the-run.ts'],
          globalSetup: ['test/cluster/global-setup.ts', POSTGRES],
        },
      },
    ],
  },
})

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from the default export only
export default config
