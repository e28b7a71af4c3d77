import { realpath, rename } from 'node:fs/promises'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Clock } from '#/ports/clock.ts'
import { findAccount } from './account.ts'
import { locatePackage } from './binaries.ts'
import { chooseBinaries } from './choose-binaries.ts'
import type { BinariesSource } from './choose-binaries.ts'
import { clusterFolder, openCluster, pgdataPath } from './cluster.ts'
import { recordedRoot, recordOrigin } from './data-origin.ts'
import { chooseDataRoot } from './data-root.ts'
import { ensureDatabase } from './ensure-database.ts'
import { heldLocks } from './held-locks.ts'
import type { HeldLocks } from './held-locks.ts'
import { serverLog } from './launch.ts'
import { stopLeftoverServer } from './leftover-server.ts'
import { makeFolder } from './make-folder.ts'
import { COMMAND_ENVIRONMENT } from './run-command.ts'
import { supervise } from './supervise.ts'
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
  /** Which PostgreSQL to run; default: the one that comes with signalbox. */
  readonly binaries?: BinariesSource
  /** Where root keeps what the unprivileged user cannot reach in the data folder or the package. */
  readonly systemFolders?: SystemFolders
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
  const locks = heldLocks()
  let started = false
  try {
    const held = locks.take(request.dataFolder)
    if (held) return held
    const server = await startOwned(request, locks)
    started = server.kind === 'started'
    // Whatever failed on the way then failed because of that.
    if (!started && request.signal.aborted) return refusal('stopped before PostgreSQL was ready', 'Start again.')
    return server
  } finally {
    if (!started) locks.release()
  }
}

async function startOwned(request: EmbeddedRequest, locks: HeldLocks): Promise<EmbeddedServer | Refusal> {
  const plan = await prepare(request, locks)
  if (plan.kind === 'refused') return plan
  const running = await supervise(plan)
  if (running.kind === 'refused') return running
  const connectionString = await ensureDatabase(plan.cluster, running.socketFolder)
  if (typeof connectionString !== 'string') {
    await running.stop()
    return connectionString
  }
  let stopped: Promise<void> | undefined
  const stop = async () => await (stopped ??= running.stop().then(locks.release))
  return { kind: 'started', connectionString, pid: running.pid, location: plan.cluster.folder, stop }
}

async function prepare(request: EmbeddedRequest, locks: HeldLocks): Promise<ServerPlan | Refusal> {
  const { dataFolder: folder, notice, signal, clock } = request
  const systemFolders = request.systemFolders ?? SYSTEM_FOLDERS
  const account = await findAccount(pgdataPath(clusterFolder(await recordedRoot(folder))), signal)
  if (account.kind === 'refused') return account
  const place = await chooseDataRoot({ folder, systemFolder: systemFolders.data, account, notice, signal })
  if (place.kind === 'refused') return place
  const packaged = await locatePackage()
  const copyInto = account.kind === 'other' ? [systemFolders.binaries, place.root] : [place.root]
  const source = request.binaries ?? 'bundled'
  const pgdata = pgdataPath(clusterFolder(place.root))
  const searchPath = COMMAND_ENVIRONMENT.PATH
  const choice = { source, searchPath, pgdata, packaged, account, copyInto, notice, signal }
  const binaries = await chooseBinaries(choice)
  if (binaries.kind === 'refused') return binaries
  const settings = request.settings ?? {}
  const durable = settings['fsync'] !== 'off'
  const cluster = await openCluster({ root: place.root, account, binaries, durable, signal })
  if (cluster.kind === 'refused') return cluster
  // The data may be used through another folder that links to it or names it.
  const held = locks.take(await realpath(cluster.folder))
  if (held) return held
  if (place.root !== folder) await recordOrigin(folder, place.root)
  const leftover = await stopLeftoverServer({ dataFolder: cluster.dataFolder, clock, notice, signal })
  if (leftover) return leftover
  await keepPreviousLog(serverLog(cluster))
  return { kind: 'plan', binaries, cluster, account, settings, clock, notice, signal }
}

async function keepPreviousLog(file: string): Promise<void> {
  await rename(file, `${file}.old`).catch(() => undefined)
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
