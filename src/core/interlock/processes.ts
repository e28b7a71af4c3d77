import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'

/** `PID PPID ELAPSED COMMAND`. Error texts of kubectl or a shell do not look like this. */
const ROW = /^\s*\d+\s+\d+\s+[\d:.-]+\s+\S/
const RUNNER = /\bRunner\.Listener\b|\brun(?:-helper)?\.sh\b/
const WORKER = /\bRunner\.Worker\b/

/**
 * The processes in `ps -eo pid,ppid,etimes,args` of the runner container. The absence of a worker proves something only if
 * the list is whole and is the runner's: a Docker daemon beside it has other processes.
 */
export function readProcesses(text: string): Observed<readonly string[]> {
  const lines = text.split('\n')
  const last = lines.at(-1) ?? ''
  if (last.trim() !== '' && !ROW.test(last)) return blind('truncated', 'the list of processes ends in the middle')
  const rows = lines.filter((line) => ROW.test(line)).map((line) => line.trim())
  if (rows.length === 0) return blind('malformed', 'the list of processes has none')
  if (!rows.some((row) => RUNNER.test(row) || WORKER.test(row))) {
    return blind(
      'malformed',
      'the list of processes has neither Runner.Listener nor run.sh: it is of another container',
    )
  }
  return seen(rows)
}

/** The process that executes a job; null if there is none. */
export function findWorker(processes: readonly string[]): string | null {
  return processes.find((row) => WORKER.test(row)) ?? null
}
