import { realpath, rename } from 'node:fs/promises'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Clock } from '#/ports/clock.ts'
import { findAccount } from './account.ts'
import { locatePackage, prepareBinaries } from './binaries.ts'
import { clusterFolder, openCluster, pgdataPath } from './cluster.ts'
import { chooseDataRoot, recordedRoot } from './data-root.ts'
import { ensureDatabase } from './ensure-database.ts'
import { lockFolder } from './folder-lock.ts'
import { serverLog } from './launch.ts'
import { stopLeftoverServer } from './leftover-server.ts'
import { makeFolder } from './make-folder.ts'
import { randomPort, supervise } from './supervise.ts'
import type { ServerPlan } from './supervise.ts'

export type EmbeddedRequest = {
  readonly dataFolder: string
  readonly clock: Clock
  /** Takes one line for a person. */
  readonly notice: (line: string) => void
  /** Ends the start; a server that has started is ended by its `stop`. */
  readonly signal: AbortSignal
  /** Server settings on top of ours. */
  readonly settings?: Readonly<Record<string, string>>
  /** Where root keeps what the unprivileged user cannot reach in the data folder or the package. */
  readonly systemFolders?: SystemFolders
  /** The port to try next; by default a random one. */
  readonly choosePort?: () => number
}
export type SystemFolders = { readonly data: string; readonly binaries: string }

export type EmbeddedServer = {
  readonly kind: 'started'
  readonly connectionString: string
  /** Changes when the server had to be started again. */
  readonly pid: () => number | undefined
  /** Where the data really is. */
  readonly location: string
  readonly stop: () => Promise<void>
}

const SYSTEM_FOLDERS: SystemFolders = { data: '/var/lib/signalbox', binaries: '/var/cache/signalbox' }

/** PostgreSQL for one machine, in a folder. The folder has one owner at a time; what a killed one left is cleared up. */
export async function startEmbedded(request: EmbeddedRequest): Promise<EmbeddedServer | Refusal> {
  try {
    // PostgreSQL's user must be able to pass through the folder of root; everything inside has its own rights.
    await makeFolder(request.dataFolder, process.getuid?.() === 0 ? 0o711 : 0o700)
    return await startLocked({ ...request, dataFolder: await realpath(request.dataFolder) })
  } catch (error) {
    if (!isSystemError(error)) throw error
    return refusal(
      `the data folder ${request.dataFolder} cannot be used: ${error.message}`,
      'Give a folder that belongs to you and has space with --data, or set DATABASE_URL.',
    )
  }
}

async function startLocked(request: EmbeddedRequest): Promise<EmbeddedServer | Refusal> {
  const lock = lockFolder(request.dataFolder)
  if (lock.kind === 'failed') {
    return refusal(
      `the data folder ${request.dataFolder} cannot be locked: ${lock.detail}`,
      'Give a folder on a local disk that belongs to you with --data, or set DATABASE_URL.',
    )
  }
  if (lock.kind === 'held') {
    const who = lock.pid === null ? 'another signalbox' : `another signalbox (pid ${lock.pid})`
    return refusal(
      `${who} is using the data folder ${request.dataFolder}`,
      'Stop it first, give this one its own folder with --data, or let both share a PostgreSQL server by DATABASE_URL.',
    )
  }
  let started = false
  try {
    const server = await startOwned(request, lock.release)
    started = server.kind === 'started'
    // Whatever failed on the way then failed because of that.
    if (!started && request.signal.aborted) return refusal('stopped before PostgreSQL was ready', 'Start again.')
    return server
  } finally {
    if (!started) lock.release()
  }
}

async function startOwned(request: EmbeddedRequest, release: () => void): Promise<EmbeddedServer | Refusal> {
  const plan = await prepare(request)
  if (plan.kind === 'refused') return plan
  const running = await supervise(plan)
  if (running.kind === 'refused') return running
  const connectionString = await ensureDatabase(plan.cluster, running.port)
  if (typeof connectionString !== 'string') {
    await running.stop()
    return connectionString
  }
  let stopped: Promise<void> | undefined
  const stop = async () => await (stopped ??= running.stop().then(release))
  return { kind: 'started', connectionString, pid: running.pid, location: plan.cluster.folder, stop }
}

async function prepare(request: EmbeddedRequest): Promise<ServerPlan | Refusal> {
  const { dataFolder: folder, notice, signal, clock } = request
  const systemFolders = request.systemFolders ?? SYSTEM_FOLDERS
  const account = await findAccount(pgdataPath(clusterFolder(await recordedRoot(folder))), signal)
  if (account.kind === 'refused') return account
  const place = await chooseDataRoot({ folder, systemFolder: systemFolders.data, account, notice, signal })
  if (place.kind === 'refused') return place
  const packaged = await locatePackage()
  const copyInto = account.kind === 'other' ? [systemFolders.binaries, place.root] : [place.root]
  const binaries = await prepareBinaries({ packaged, account, copyInto, notice, signal })
  if (binaries.kind === 'refused') return binaries
  const settings = request.settings ?? {}
  const durable = settings['fsync'] !== 'off'
  const cluster = await openCluster({ root: place.root, account, binaries, durable, signal })
  if (cluster.kind === 'refused') return cluster
  const leftover = await stopLeftoverServer({ dataFolder: cluster.dataFolder, clock, notice, signal })
  if (leftover) return leftover
  await keepPreviousLog(serverLog(cluster))
  const choosePort = request.choosePort ?? randomPort
  return { kind: 'plan', binaries, cluster, account, settings, choosePort, clock, notice, signal }
}

async function keepPreviousLog(file: string): Promise<void> {
  await rename(file, `${file}.old`).catch(() => undefined)
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
