import { defineConfig } from 'vitest/config'

const config = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from the default export only
export default config
