import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import type { EmbeddedServer } from '#/adapters/postgres/embedded/start-embedded.ts'
import { startTemporaryServer } from './temporary-server.ts'

const POLL_MS = 50
const RESTART_TIMEOUT_MS = 60_000

export type OwnServer = {
  /** An empty database; not migrated. The same after a restart. */
  readonly connectionString: string
  /** SIGINT: an orderly restart, which ends all connections. SIGKILL: a crash, after which PostgreSQL recovers. */
  readonly restart: (by: 'SIGINT' | 'SIGKILL') => Promise<void>
}

/**
 * A separate server for the calling test file, for tests that restart or kill it. Call it at the top of a file or a suite. It is
 * started before the first test: where all are skipped no hook runs, and a server that runs already would be left behind.
 */
export function ownServer(): OwnServer {
  let server: EmbeddedServer | undefined
  beforeAll(async () => {
    server = await startTemporaryServer()
  })
  afterAll(async () => await server?.stop())
  const started = (): EmbeddedServer => {
    if (server === undefined) throw new Error('use the server only inside tests and hooks')
    return server
  }
  return {
    get connectionString() {
      return started().connectionString
    },
    restart: async (by) => await restart(started(), by),
  }
}

async function restart(server: EmbeddedServer, by: 'SIGINT' | 'SIGKILL'): Promise<void> {
  const before = server.pid()
  if (before === undefined) throw new Error('the server is not running')
  process.kill(before, by)
  const deadline = performance.now() + RESTART_TIMEOUT_MS
  while (server.pid() === before || !(await answers(server.connectionString))) {
    if (performance.now() > deadline) throw new Error('the server did not restart')
    await sleep(POLL_MS)
  }
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
