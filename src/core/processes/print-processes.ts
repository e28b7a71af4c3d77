import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { ProcessStat } from './process-stat.ts'

export type ReadProcess = ProcessStat & {
  /** `/proc/PID/cmdline`: the arguments, each with a zero byte behind it. Empty for a zombie. */
  readonly commandLine: string
}

export type PrintTerms = {
  /** Seconds since the boot. */
  readonly uptime: number
  readonly redact: (text: string) => string
}

/** More than that is no waiting runner; what is cut would prove nothing. */
export const MOST_PROCESSES = 2000
/** Of each command line, in characters. */
const LONGEST = 300
const WORKER = 'Runner.Worker'

/**
 * As `ps -eo pid,ppid,etimes,args` prints them. Command lines are cut and redacted, but a worker is visible in its row
 * whatever is cut from it: its absence is what a gate concludes from.
 */
export function printProcesses(processes: readonly ReadProcess[], terms: PrintTerms): Observed<string> {
  if (processes.length > MOST_PROCESSES) {
    return blind('too-large', `the container has more than ${MOST_PROCESSES} processes`)
  }
  const rows = processes.toSorted((a, b) => a.pid - b.pid).map((process) => printProcess(process, terms))
  return seen(['    PID    PPID ELAPSED COMMAND', ...rows, ''].join('\n'))
}

function printProcess(process: ReadProcess, { uptime, redact }: PrintTerms): string {
  const { pid, parent, name, startedAt } = process
  const whole = describeCommand(process)
  const args = cut(redact(whole))
  const isHidden = (name.includes(WORKER) || whole.includes(WORKER)) && !args.includes(WORKER)
  const elapsed = Math.max(0, Math.floor(uptime - startedAt))
  return `${pid} ${parent} ${elapsed} ${args}${isHidden ? ` [${WORKER}]` : ''}`
}

/** As `ps` does: a process without arguments is shown by its name. */
function describeCommand({ commandLine, name, isZombie }: ReadProcess): string {
  const args = oneLine(commandLine)
  if (args !== '') return args
  return isZombie ? `[${oneLine(name)}] <defunct>` : `[${oneLine(name)}]`
}

/** Arguments may hold line feeds: a script, for example. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
