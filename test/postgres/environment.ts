/** What the PostgreSQL harness reads from the environment. This is the only file of the folder that reads it. */
export type PostgresEnvironment = {
  /** A server to use instead of starting one. */
  readonly databaseUrl: string | undefined
  /** Set by .ci/run: a suite that would be skipped fails instead. */
  readonly fullTestsRequired: boolean
}

export function readPostgresEnvironment(): PostgresEnvironment {
  return {
    databaseUrl: process.env['DATABASE_URL'] || undefined,
    fullTestsRequired: process.env['SIGNALBOX_REQUIRE_FULL_TESTS'] === '1',
  }
}
