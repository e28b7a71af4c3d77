import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** No machine gives out this number, so that the process that it names is always a dead one. */
const NO_PROCESS = 2_147_483_646
const STATUS_LINE = 7

/** `postmaster.pid`: PostgreSQL's own note of who serves a data folder. */
export type PostmasterFile = {
  readonly pid: number
  /** The server listens on its port: it has bound it and, after a crash, has recovered. */
  readonly ready: boolean
  readonly lines: readonly string[]
}

export async function readPostmasterFile(dataFolder: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => null)
  return text === null ? null : parsePostmasterFile(text)
}

export function parsePostmasterFile(text: string): PostmasterFile | null {
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  return { pid, ready: lines[STATUS_LINE]?.trim() === 'ready', lines }
}

/**
 * Lets PostgreSQL start although a process that has nothing to do with it now has the number in the file. The rest of
 * the file stays: by it PostgreSQL checks that no worker of the former server is still attached to the shared memory.
 */
export async function disownPid(dataFolder: string, file: PostmasterFile): Promise<void> {
  await writeFile(join(dataFolder, 'postmaster.pid'), [NO_PROCESS, ...file.lines.slice(1)].join('\n'))
}
