import { readFileSync } from 'node:fs'

export type ProcessCost = { readonly megabytes: number; readonly cpuSeconds: number }

/** Linux counts a process's time in hundredths of a second, whatever the kernel's own clock is. */
const TICKS_PER_SECOND = 100
const UTIME_AFTER_NAME = 11

/** What a process holds and has used so far, as the kernel counts it. */
export function readCost(pid: number): ProcessCost {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[UTIME_AFTER_NAME]) + Number(fields[UTIME_AFTER_NAME + 1])
  return { megabytes: kilobytes / 1000, cpuSeconds: ticks / TICKS_PER_SECOND }
}
