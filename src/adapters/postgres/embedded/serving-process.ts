import { readFile } from 'node:fs/promises'
import { runCommand } from './run-command.ts'
import { sameFolder } from './same-folder.ts'

const PS_TIMEOUT_MS = 10_000
const OUR_COMMAND = /(?:^|\/)postgres -D (\/.*?)(?: -c |$)/u

/**
 * What a process has to do with a data folder: `serves` it, is the `other-server` of another folder, or is a
 * `stranger`. `gone` when there is no such process.
 */
export type Serving = 'serves' | 'other-server' | 'stranger' | 'gone'

/** A PostgreSQL server works inside its data folder, wherever that was moved to since it started. */
export async function servingProcess(pid: number, dataFolder: string, signal: AbortSignal): Promise<Serving> {
  const command = await commandLine(pid, signal)
  if (command === null) return 'gone'
  const named = servedFolder(command)
  if (named === null) return 'stranger'
  // A container may not let us see where a process of another user works; then its arguments have to do.
  const inside = process.platform === 'linux' ? await sameFolder(`/proc/${pid}/cwd`, dataFolder) : null
  return (inside ?? (await sameFolder(named, dataFolder))) === true ? 'serves' : 'other-server'
}

/** The folder that a command line names. Our servers are started with it as their first argument. */
export function servedFolder(command: string): string | null {
  return OUR_COMMAND.exec(command)?.[1] ?? null
}

/** Null when there is no such process. A process that has ended but was not collected has an empty one. */
async function commandLine(pid: number, signal: AbortSignal): Promise<string | null> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
    return text?.replaceAll('\0', ' ').trim() ?? null
  }
  const args = ['-ww', '-o', 'command=', '-p', String(pid)]
  const account = { kind: 'self' } as const
  const { ok, output } = await runCommand({ program: 'ps', args, account, timeoutMs: PS_TIMEOUT_MS, signal })
  return ok ? output : null
}
