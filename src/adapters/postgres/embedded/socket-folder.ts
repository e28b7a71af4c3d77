import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from './account.ts'

/** It only names the socket's file: no TCP port is opened. */
export const SOCKET_PORT = 5432
/** macOS allows 103 bytes for the path of a socket, Linux 107. */
const MOST_PATH_BYTES = 103

/** Folders for the server's socket, best first: in the data, or a short one where that path is too long for a socket. */
export async function socketFolders(cluster: string): Promise<readonly string[]> {
  const { dev, ino } = await stat(cluster, { bigint: true })
  // By what the folder is, not by its name: a copy must not meet the original.
  const name = `signalbox-${createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 16)}`
  const folders = [join(cluster, 'socket'), join(tmpdir(), name), join('/tmp', name)]
  return [...new Set(folders)].filter((folder) => Buffer.byteLength(socketFile(folder)) <= MOST_PATH_BYTES)
}

export function socketFile(folder: string): string {
  return join(folder, `.s.PGSQL.${SOCKET_PORT}`)
}

/** An empty folder that only the account can enter; false where somebody else has one of that name. */
export async function makeSocketFolder(folder: string, account: Account): Promise<boolean> {
  const uid = account.kind === 'other' ? account.uid : process.getuid?.()
  const found = await lstat(folder).catch(() => null)
  if (found !== null) {
    if (!found.isDirectory() || found.uid !== uid) return false
    // A copied folder brings the socket's lock file, which names the server of the original.
    await rm(folder, { recursive: true, force: true })
  }
  await mkdir(folder, { mode: 0o700 })
  if (account.kind === 'other') await chown(folder, account.uid, account.gid)
  return true
}
