import { readFile } from 'node:fs/promises'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Clock } from '#/ports/clock.ts'
import { disownPid, readPostmasterFile } from './postmaster-file.ts'
import { runCommand } from './run-command.ts'

const POLL_MS = 50
/** A fast shutdown writes everything out first; an immediate one leaves that to the next start. */
const SHUTDOWNS = [
  { signal: 'SIGINT', waitMs: 60_000 },
  { signal: 'SIGQUIT', waitMs: 15_000 },
] as const
const PS_TIMEOUT_MS = 10_000

export type LeftoverRequest = {
  readonly dataFolder: string
  readonly clock: Clock
  readonly notice: (line: string) => void
  readonly signal: AbortSignal
}

/** Ends the server that a killed signalbox left running on this data. Null when nothing serves it any more. */
export async function stopLeftoverServer(request: LeftoverRequest): Promise<Refusal | null> {
  const { dataFolder } = request
  const file = await readPostmasterFile(dataFolder)
  if (file === null) return null
  const command = await commandLine(file.pid, request.signal)
  if (command === null) return null
  if (!servesFolder(command, dataFolder)) {
    await disownPid(dataFolder, file)
    return null
  }
  request.notice(`stopping the PostgreSQL (pid ${file.pid}) that an earlier signalbox left running`)
  for (const { signal, waitMs } of SHUTDOWNS) {
    process.kill(file.pid, signal)
    if (await ended(file.pid, waitMs, request)) return null
  }
  return refusal(
    `a PostgreSQL that an earlier signalbox left (pid ${file.pid}) works on ${dataFolder} and does not stop`,
    `End process ${file.pid}, then start again.`,
  )
}

/** Our servers are started with the folder as their first argument. */
export function servesFolder(command: string, dataFolder: string): boolean {
  return `${command} `.includes(`/postgres -D ${dataFolder} `)
}

async function ended(pid: number, waitMs: number, request: LeftoverRequest): Promise<boolean> {
  const { clock, signal, dataFolder } = request
  const deadline = clock.now() + waitMs
  while (!signal.aborted && clock.now() < deadline) {
    const command = await commandLine(pid, signal)
    if (command === null || !servesFolder(command, dataFolder)) return true
    await clock.sleep(POLL_MS, signal)
  }
  return false
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
