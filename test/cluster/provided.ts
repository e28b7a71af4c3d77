declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for what the whole run shares (run-door.ts). Absent where no node can run. */
    readonly clusterDoor: string
  }
}

/** What a test file may ask for. The first to ask starts it. */
export const DOOR_PATHS = {
  /** A machine that is ready for nodes; the answer is empty. */
  machine: '/machine',
  /** The shared node; the answer is a SharedNode as JSON. */
  node: '/node',
} as const
