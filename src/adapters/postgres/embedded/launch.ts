import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#/ports/clock.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { SOCKET_PORT } from './socket-folder.ts'
import { asUser, COMMAND_ENVIRONMENT } from './run-command.ts'

const POLL_MS = 50
const LOG_TAIL_BYTES = 8192
const SLOW_START_MS = 10_000

export type LaunchRequest = {
  readonly binaries: Binaries
  readonly cluster: Cluster
  readonly account: Account
  /** Where its socket is. */
  readonly socketFolder: string
  readonly settings: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly notice: (line: string) => void
  readonly signal: AbortSignal
}
export type Launched = { readonly kind: 'ready'; readonly child: ChildProcess; readonly exited: Promise<void> }
export type LaunchFailure = { readonly kind: 'failed'; readonly log: string }

/** Starts the server and waits until it is ready, however long it needs to recover from a crash. */
export async function launch(request: LaunchRequest): Promise<Launched | LaunchFailure> {
  try {
    return await tryLaunch(request)
  } catch (error) {
    // The folder may be gone or the disk away, for a while or for good: whoever started it decides.
    return { kind: 'failed', log: error instanceof Error ? error.message : String(error) }
  }
}

async function tryLaunch(request: LaunchRequest): Promise<Launched | LaunchFailure> {
  const logFile = serverLog(request.cluster)
  const logStart = await fileSize(logFile)
  const child = spawnServer(request, logFile)
  const exited = waitForExit(child)
  if (await untilReady(request, child, exited)) return { kind: 'ready', child, exited }
  child.kill('SIGQUIT')
  await exited
  return { kind: 'failed', log: (await readTail(logFile, logStart)).trim() }
}

export function serverLog(cluster: Cluster): string {
  return join(cluster.folder, 'server.log')
}

function spawnServer(request: LaunchRequest, logFile: string): ChildProcess {
  const { binaries, cluster, account, socketFolder } = request
  const reach = { port: String(SOCKET_PORT), unix_socket_directories: quotedPath(socketFolder) }
  const all = { ...SETTINGS, ...request.settings, ...reach }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(logFile, 'a', 0o600)
  try {
    return spawn(join(binaries.folder, 'bin', 'postgres'), ['-D', cluster.dataFolder, ...flags], {
      ...asUser(account),
      cwd: '/',
      env: COMMAND_ENVIRONMENT,
      // A Ctrl-C in the terminal goes to the whole process group; the server must outlive our last query.
      detached: true,
      stdio: ['ignore', log, log],
    })
  } finally {
    closeSync(log)
  }
}

/** The setting is a list: a comma or a space in the path must not end it. */
function quotedPath(path: string): string {
  return `"${path.replaceAll('"', '""')}"`
}

/**
 * No TCP port and no TLS: whoever may enter the folder of the socket and knows the password gets in, nobody else.
 * Errors go to the client who made them, not to the log, which would grow with the load and could hold what a
 * statement held.
 */
const SETTINGS = {
  listen_addresses: '',
  ssl: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

function waitForExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
}

/** Reads the server's own note instead of connecting: what answers must be the server that we started. */
async function untilReady(request: LaunchRequest, child: ChildProcess, exited: Promise<void>): Promise<boolean> {
  const { clock, signal, cluster } = request
  const startedAt = clock.now()
  const ended = exited.then(() => 'ended' as const)
  let patient = true
  while (!signal.aborted) {
    const file = await readPostmasterFile(cluster.dataFolder)
    if (file?.pid === child.pid && file?.ready) return true
    if (patient && clock.now() - startedAt > SLOW_START_MS) {
      request.notice('PostgreSQL is still starting; after a crash it replays its log first')
      patient = false
    }
    if ((await Promise.race([clock.sleep(POLL_MS, signal), ended])) === 'ended') return false
  }
  return false
}

async function fileSize(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}

/** The end of what was written since the start, without what an earlier start wrote. */
async function readTail(file: string, start: number): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const from = Math.max(start, size - LOG_TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(LOG_TAIL_BYTES), position: from })
    return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await handle.close()
  }
}
