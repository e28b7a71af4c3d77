import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Clock } from '#/ports/clock.ts'
import { disownPid, readPostmasterFile } from './postmaster-file.ts'
import { servingProcess } from './serving-process.ts'

const POLL_MS = 50
/** A fast shutdown writes everything out first; an immediate one leaves that to the next start. */
const SHUTDOWNS = [
  { signal: 'SIGINT', waitMs: 60_000 },
  { signal: 'SIGQUIT', waitMs: 15_000 },
] as const

export type LeftoverRequest = {
  readonly dataFolder: string
  readonly clock: Clock
  readonly notice: (line: string) => void
  readonly signal: AbortSignal
}

/**
 * Ends the server that a killed signalbox left running on this data. Null when nothing serves it any more. The note in a
 * copied folder names the server of the original, which is left alone.
 */
export async function stopLeftoverServer(request: LeftoverRequest): Promise<Refusal | null> {
  const { dataFolder, notice } = request
  const file = await readPostmasterFile(dataFolder)
  if (file === null) return null
  const serving = await servingProcess(file.pid, dataFolder, request.signal)
  if (serving === 'gone') return null
  if (serving !== 'serves') {
    if (serving === 'other-server') notice(copiedWhileRunning(dataFolder, file.pid))
    await disownPid(dataFolder, file)
    return null
  }
  notice(`stopping the PostgreSQL (pid ${file.pid}) that an earlier signalbox left running`)
  for (const { signal, waitMs } of SHUTDOWNS) {
    process.kill(file.pid, signal)
    if (await ended(file.pid, waitMs, request)) return null
  }
  return refusal(
    `a PostgreSQL that an earlier signalbox left (pid ${file.pid}) works on ${dataFolder} and does not stop`,
    `End process ${file.pid}, then start again.`,
  )
}

function copiedWhileRunning(dataFolder: string, pid: number): string {
  return `${dataFolder} is a copy of the folder that PostgreSQL (pid ${pid}) uses, which keeps running. A copy of a running database can be damaged: use \`signalbox store backup\` and \`store restore\` instead`
}

async function ended(pid: number, waitMs: number, request: LeftoverRequest): Promise<boolean> {
  const { clock, signal, dataFolder } = request
  const deadline = clock.now() + waitMs
  while (!signal.aborted && clock.now() < deadline) {
    if ((await servingProcess(pid, dataFolder, signal)) !== 'serves') return true
    await clock.sleep(POLL_MS, signal)
  }
  return false
}
