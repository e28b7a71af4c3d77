import { defineConfig } from 'vitest/config'

const SUITES = ['src/**/*.test.ts', 'test/**/*.test.ts']
const ON_A_CLUSTER = ['src/**/*.cluster.test.ts', 'test/**/*.cluster.test.ts']

const shared = { pool: 'forks' as const, testTimeout: 60_000, hookTimeout: 120_000 }

/** Suites on a real cluster are a project of their own, so that a unit test alone does not wait for a build of Kubernetes. */
const config = defineConfig({
  test: {
    // Most suites wait for a server or a process, so more of them than cores may run.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...shared,
          name: 'here',
          include: SUITES,
          exclude: ON_A_CLUSTER,
          globalSetup: ['test/postgres/global-setup.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'cluster',
          include: ON_A_CLUSTER,
          // A pod on a busy machine takes its time.
          testTimeout: 180_000,
          hookTimeout: 400_000,
          setupFiles: ['test/cluster/end-with-the-run.ts'],
          globalSetup: ['test/cluster/global-setup.ts', 'test/postgres/global-setup.ts'],
        },
      },
    ],
  },
})

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from the default export only
export default config
