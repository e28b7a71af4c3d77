import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blind } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import { MOST_PROCESSES, printProcesses } from '#/core/processes/print-processes.ts'
import type { ReadProcess } from '#/core/processes/print-processes.ts'
import { readStat, readUptime } from '#/core/processes/process-stat.ts'

export type ProcessesOptions = {
  /** `/proc` of the host's PID namespace. */
  readonly proc: string
  readonly redact: (text: string) => string
}

/** A fault of the node, not a busy one. */
const MOST_ON_NODE = 100_000

/**
 * The processes in the cgroup of a container or below it, as `ps` prints them. Containers that were started inside it are
 * below it, in either version of cgroups. Never `none`: a container that runs has a process, so one without is not visible.
 */
export async function readContainerProcesses(
  { proc, redact }: ProcessesOptions,
  containerId: string,
  signal: AbortSignal,
): Promise<Observed<string>> {
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name))
  if (pids.length > MOST_ON_NODE) return blind('too-large', `the node has more than ${MOST_ON_NODE} processes`)
  const found: ReadProcess[] = []
  for (const pid of pids) {
    signal.throwIfAborted()
    const process = await readOwn(join(proc, pid), containerId)
    if (process === null) continue
    if ('reason' in process) return process
    found.push(process)
    if (found.length > MOST_PROCESSES) break
  }
  if (found.length === 0) return blind('unsupported', INVISIBLE)
  const uptime = readUptime(await readFile(join(proc, 'uptime'), 'utf8'))
  if (uptime === null) return blind('malformed', `${proc}/uptime has another form`)
  return printProcesses(found, { uptime, redact })
}

const INVISIBLE =
  "none of the container's processes is visible from the node: it has ended, it is in a microVM, or the agent is not in the PID namespace of its host (agent.processes of the chart)"

/** Null if it belongs to another container, or has ended. */
async function readOwn(folder: string, containerId: string): Promise<ReadProcess | Blind | null> {
  const groups = await read(join(folder, 'cgroup'))
  if (groups === null || typeof groups !== 'string') return groups
  if (!isIn(groups, containerId)) return null
  const [stat, commandLine] = [await read(join(folder, 'stat')), await read(join(folder, 'cmdline'))]
  if (stat === null || commandLine === null) return null
  if (typeof stat !== 'string') return stat
  if (typeof commandLine !== 'string') return commandLine
  const known = readStat(stat)
  return known === null ? blind('malformed', `${folder}/stat has another form`) : { ...known, commandLine }
}

/** `0::/…/cri-containerd-ID.scope/…`; version 1 has a line for each hierarchy, with `/ID` or `/ID/…`. */
function isIn(groups: string, containerId: string): boolean {
  return groups.split('\n').some((line) => line.split('/').some((part) => part.includes(containerId)))
}

/** Null if the process has ended. */
async function read(path: string): Promise<string | Blind | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'a fault'
    if (code === 'ENOENT' || code === 'ESRCH') return null
    return blind('forbidden', `${path}: ${code}`)
  }
}
