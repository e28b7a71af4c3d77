import { readdirSync, readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { until } from '#test/cluster/until.ts'
import { ask } from './ask.ts'
import { startedServer, startOwner } from './owner-process.ts'

/** A PostgreSQL that a test stops and starts. It ends with the test. */
export type StoppableServer = {
  /** The same after each start. */
  readonly connectionString: string
  /** SIGSTOP: connections stay open and are accepted, and nothing answers. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** SIGKILL: connections break, and new ones are refused. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

const TIMEOUT_MS = 60_000

/** Inside a test. Starts on the same folder again after a kill. */
export async function stoppableServer(dataFolder: string): Promise<StoppableServer> {
  const begin = async () => {
    const owner = startOwner({ dataFolder })
    return { owner, server: await startedServer(owner) }
  }
  let current = await begin()
  const { connectionString } = current.server
  let isFrozen = false
  const send = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    isFrozen = name === 'SIGSTOP'
    // The first process starts the others, so it is stopped first.
    process.kill(current.server.pid, name)
    for (const pid of listChildren(current.server.pid)) signalIfAlive(pid, name)
  }
  const thaw = (): void => send('SIGCONT')
  // A server that stands still cannot be ended.
  onTestFinished(() => {
    if (isFrozen) thaw()
  })
  return {
    connectionString,
    freeze: () => send('SIGSTOP'),
    thaw,
    kill: async () => {
      // Whoever owns it would start it again.
      process.kill(current.owner.pid, 'SIGKILL')
      await current.owner.exited
      process.kill(current.server.pid, 'SIGKILL')
      await until({ what: 'PostgreSQL to refuse', timeoutMs: TIMEOUT_MS, probe: () => refuses(connectionString) })
    },
    start: async () => {
      current = await begin()
      if (current.server.connectionString !== connectionString) throw new Error('the server has another address')
    },
  }
}

/** A server process ends with its client's connection, so one that was listed may be gone by now. */
function signalIfAlive(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function listChildren(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readParent(pid) === parent)
}

function readParent(pid: number): number | null {
  try {
    // The name in the second field may contain anything but the last bracket.
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    )
  } catch {
    return null
  }
}

async function refuses(connectionString: string): Promise<true | undefined> {
  return await ask(connectionString, 'select 1').then(
    () => undefined,
    () => true,
  )
}
