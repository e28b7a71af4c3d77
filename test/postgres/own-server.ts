import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll } from 'vitest'
import { startTemporaryServer } from './temporary-server.ts'

const POLL_MS = 50
const RESTART_TIMEOUT_MS = 60_000

export type OwnServer = {
  /** An empty database; not migrated. The same after a restart. */
  readonly connectionString: string
  /** SIGINT: an orderly restart, which ends all connections. SIGKILL: a crash, after which PostgreSQL recovers. */
  readonly restart: (by: 'SIGINT' | 'SIGKILL') => Promise<void>
}

/** A server of the calling test file's own, for tests that restart or kill it. Call it at the top of the file. */
export async function ownServer(): Promise<OwnServer> {
  const server = await startTemporaryServer()
  afterAll(server.stop)
  const restart = async (by: 'SIGINT' | 'SIGKILL') => {
    const before = server.pid()
    if (before === undefined) throw new Error('the server is not running')
    process.kill(before, by)
    const deadline = performance.now() + RESTART_TIMEOUT_MS
    while (server.pid() === before || !(await answers(server.connectionString))) {
      if (performance.now() > deadline) throw new Error('the server did not come back')
      await sleep(POLL_MS)
    }
  }
  return { connectionString: server.connectionString, restart }
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
