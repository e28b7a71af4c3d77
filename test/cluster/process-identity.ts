import { readFileSync, readdirSync } from 'node:fs'

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** In clock ticks since boot, as /proc has it; undefined where there is no /proc. */
  readonly startTicks: string | undefined
}

interface ProcessStat {
  readonly state: string
  readonly startTicks: string
}

const STATE_FIELD = 0
const START_FIELD = 19

export function parseStat(stat: string): ProcessStat | undefined {
  // The command's name is in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[STATE_FIELD], fields[START_FIELD]]
  return state === undefined || startTicks === undefined ? undefined : { state, startTicks }
}

export function identify(pid: number): ProcessIdentity {
  return { pid, startTicks: readStat(pid)?.startTicks }
}

/** A zombie has ended: its parent has not waited for it yet. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.startTicks === undefined) return acceptsSignals(identity.pid)
  const stat = readStat(identity.pid)
  return stat !== undefined && stat.startTicks === identity.startTicks && !'ZX'.includes(stat.state)
}

export function sendSignal(identity: ProcessIdentity, signal: 'SIGKILL' | 'SIGTERM'): void {
  if (!isAlive(identity)) return
  try {
    process.kill(identity.pid, signal)
  } catch {
    // It ended between the check and the signal.
  }
}

/** All processes of the machine with their command lines; empty where there is no /proc. */
export function listProcesses(): readonly { readonly pid: number; readonly commandLine: readonly string[] }[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map((name) => ({ pid: Number(name), commandLine: readOrEmpty(`/proc/${name}/cmdline`).split('\0') }))
  } catch {
    return []
  }
}

function readStat(pid: number): ProcessStat | undefined {
  return parseStat(readOrEmpty(`/proc/${pid}/stat`))
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function acceptsSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
