declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files request what the whole run shares (run-server.ts). Absent where no node can run. */
    readonly clusterRunUrl: string
  }
}

/** What a test file may request. The first request starts it. */
export const RUN_PATHS = {
  /** A machine that is ready for nodes; the answer is empty. */
  machine: '/machine',
  /** The shared node; the answer is a SharedNode as JSON. */
  node: '/node',
} as const
