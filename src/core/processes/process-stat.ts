/** What the kernel says about one process in `/proc/PID/stat`. */
export type ProcessStat = {
  readonly pid: number
  readonly parent: number
  /** The name of the program, at most 15 characters. */
  readonly name: string
  readonly isZombie: boolean
  /** Seconds after the boot of the machine. */
  readonly startedAt: number
}

/** The kernel's unit for times in user space, on every architecture that runners have. */
const TICKS_PER_SECOND = 100
/** Counted from the field after the name. */
const [STATE, PARENT, START] = [0, 1, 19]

/** Null if it is not such a line. The name may contain spaces, brackets and line feeds: it ends at the last bracket. */
export function readStat(text: string): ProcessStat | null {
  const [open, close] = [text.indexOf(' ('), text.lastIndexOf(')')]
  if (open < 0 || close < open) return null
  const fields = text
    .slice(close + 1)
    .trim()
    .split(/\s+/)
  const [pid, parent, start] = [toNumber(text.slice(0, open)), toNumber(fields[PARENT]), toNumber(fields[START])]
  if (pid === null || parent === null || start === null) return null
  return {
    pid,
    parent,
    name: text.slice(open + 2, close),
    isZombie: fields[STATE] === 'Z' || fields[STATE] === 'X',
    startedAt: start / TICKS_PER_SECOND,
  }
}

function toNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** The first number of `/proc/uptime`: seconds since the boot. */
export function readUptime(text: string): number | null {
  const [, seconds] = /^(\d{1,12}(?:\.\d+)?)\s/.exec(text) ?? []
  return seconds === undefined ? null : Number(seconds)
}
