import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { ReadProcess } from './print-processes.ts'
import { readStat, readUptime } from './process-stat.ts'

/**
 * Prints `/proc` of a container by nothing but sh and cat. `$1` separates the parts; whoever chooses the arguments of a
 * process does not know it. A process that ends meanwhile is left out, one that cannot be read is marked.
 */
export const LISTING_SCRIPT = [
  'cd /proc || exit 1',
  'printf \'\\n%s uptime\\n\' "$1"',
  'cat uptime',
  'for p in [0-9]*; do',
  'printf \'\\n%s process\\n\' "$1"',
  'cat $p/stat $p/cmdline 2>/dev/null || if [ -e $p/stat ]; then printf \'\\n%s unreadable\\n\' "$1"; fi',
  'done',
  'printf \'\\n%s end\\n\' "$1"',
].join('\n')

export type Listing = { readonly uptime: number; readonly processes: readonly ReadProcess[] }

/** What the script printed, if it is whole. */
export function readListing(text: string, separator: string): Observed<Listing> {
  const [before = '', ...parts] = text.split(`\n${separator} `)
  if (before.trim() !== '' || parts.at(-1) !== 'end\n') {
    return blind('truncated', 'the list of processes is not whole')
  }
  if (parts.some((part) => part.startsWith('unreadable\n'))) {
    return blind('forbidden', 'a process in the container could not be read')
  }
  const uptime = readUptime(parts.find((part) => part.startsWith(UPTIME))?.slice(UPTIME.length) ?? '')
  if (uptime === null) return blind('malformed', 'the list of processes has no time')
  const bodies = parts.filter((part) => part.startsWith(PROCESS)).map((part) => part.slice(PROCESS.length))
  const processes: ReadProcess[] = []
  for (const body of bodies.filter((one) => one !== '')) {
    const process = readProcess(body)
    if (process === null) return blind('malformed', 'the list of processes has another form')
    processes.push(process)
  }
  return seen({ uptime, processes })
}

const UPTIME = 'uptime\n'
const PROCESS = 'process\n'

/** The line of the kernel, then the arguments. Null if it is neither. */
function readProcess(body: string): ReadProcess | null {
  // The name may contain a line feed, the numbers after it cannot.
  const [line = ''] = /^\d+ \([^\0]*?\) [A-Za-z] [-\d ]+\n/.exec(body) ?? []
  const stat = readStat(line)
  return stat === null ? null : { ...stat, commandLine: body.slice(line.length) }
}
