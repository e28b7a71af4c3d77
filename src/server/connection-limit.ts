import { readFileSync } from 'node:fs'

const MOST_CONNECTIONS = 8000
/** For the database, the cluster, logs and the spool: connections to the API must not take the last open file. */
const RESERVED_FILES = 1000
const LEAST_CONNECTIONS = 100

/** How many connections the API accepts; further ones are closed at once. */
export function connectionLimit(limits = readLimits()): number {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  if (soft === undefined) return MOST_CONNECTIONS
  return Math.max(LEAST_CONNECTIONS, Math.min(MOST_CONNECTIONS, Number(soft) - RESERVED_FILES))
}

/** Only Linux has the file. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
