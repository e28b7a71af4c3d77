/** What a test file needs to make databases. */
export type TestServer = {
  /** A database of the server to which a user who may create others connects. */
  readonly connectionString: string
  /** Migrated, without connections. */
  readonly templateDatabase: string
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with a TestServer as JSON; the first request starts the server. */
    readonly postgresUrl: string
  }
}
