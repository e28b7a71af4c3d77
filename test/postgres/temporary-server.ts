import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#/adapters/clock.ts'
import { lockFolder } from '#/adapters/files/folder-lock.ts'
import { stopLeftoverServer } from '#/adapters/postgres/embedded/leftover-server.ts'
import { startEmbedded } from '#/adapters/postgres/embedded/start-embedded.ts'
import type { EmbeddedServer } from '#/adapters/postgres/embedded/start-embedded.ts'

const PREFIX = 'signalbox-test-postgres-'
const START_TIMEOUT_MS = 120_000
const SETTLED_AFTER_MS = 60_000
/** The data is removed after the test run, so nothing has to reach the disk. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300' }

/** An empty embedded server in its own folder, which `stop` removes. */
export async function startTemporaryServer(): Promise<EmbeddedServer> {
  const dataFolder = join(tmpdir(), `${PREFIX}${randomBytes(6).toString('hex')}`)
  const server = await startEmbedded({
    dataFolder,
    clock: systemClock,
    notice: () => undefined,
    signal: AbortSignal.timeout(START_TIMEOUT_MS),
    settings: SETTINGS,
  })
  if (server.kind === 'refused') throw new Error(`${server.why}\n${server.next}`)
  const stop = async () => {
    await server.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
  return { ...server, stop }
}

/** Ends the servers and removes the folders of test runs that were killed. */
export async function removeAbandonedServers(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX))
  for (const name of names) await removeIfAbandoned(join(tmpdir(), name))
}

async function removeIfAbandoned(folder: string): Promise<void> {
  // A run that has made its folder a moment ago may not have locked it yet.
  const found = await stat(folder).catch(() => null)
  // The run that made it may have removed it by now.
  if (found === null || Date.now() - found.mtimeMs < SETTLED_AFTER_MS) return
  const lock = lockFolder(folder)
  if (lock.kind !== 'locked') return
  const notice = () => undefined
  const signal = AbortSignal.timeout(START_TIMEOUT_MS)
  await stopLeftoverServer({ dataFolder: join(folder, 'postgres', 'data'), clock: systemClock, notice, signal })
  await rm(folder, { recursive: true, force: true })
  lock.release()
}
