import { readFileSync, writeSync } from 'node:fs'

/**
 * Loaded into a program that is measured: at its end it writes its peak of resident memory, in bytes, to file descriptor 3.
 * The kernel's own value for this process, if there is one: `getrusage` can give the peak of the parent process.
 */
const FILE_DESCRIPTOR = 3

process.on('exit', () => {
  writeSync(FILE_DESCRIPTOR, String((highWaterKiB() ?? process.resourceUsage().maxRSS) * 1024))
})

function highWaterKiB(): number | null {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return kib === undefined ? null : Number(kib)
  } catch {
    return null
  }
}
