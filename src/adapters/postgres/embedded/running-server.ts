import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { clusterFolder, pgdataPath } from './cluster.ts'
import { recordedRoot } from './data-origin.ts'
import { DATABASE, socketAddress } from './ensure-database.ts'
import { pathExists } from './path-exists.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { servingProcess } from './serving-process.ts'

const SOCKET_LINE = 4

export type FoundServer =
  | { readonly kind: 'running'; readonly connectionString: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'no-data' }
  | Refusal

/** The server that somebody runs on a data folder, found through the folder alone. */
export async function findRunningServer(folder: string, signal: AbortSignal): Promise<FoundServer> {
  const place = await realpath(folder).catch(() => null)
  if (place === null) return { kind: 'no-data' }
  const cluster = clusterFolder(await recordedRoot(place))
  if (!(await pathExists(cluster))) return { kind: 'no-data' }
  const file = await readPostmasterFile(pgdataPath(cluster))
  const socketFolder = file?.lines[SOCKET_LINE]?.trim() ?? ''
  if (file === null || !file.ready || socketFolder === '') return { kind: 'stopped' }
  if ((await servingProcess(file.pid, pgdataPath(cluster), signal)) !== 'serves') return { kind: 'stopped' }
  const password = await readFile(join(cluster, 'password'), 'utf8').catch(() => null)
  if (password === null) {
    return refusal(
      `the PostgreSQL (pid ${file.pid}) of ${folder} runs as another user, whose password you cannot read`,
      'Run this as the user who runs signalbox serve, or as root.',
    )
  }
  return { kind: 'running', connectionString: socketAddress({ password: password.trim() }, socketFolder, DATABASE) }
}
