/** One line of deploy/runner/vitals.sh: the state of the container at that time. What it could not read is null, never zero. */
export type Vitals = {
  readonly at: number
  readonly cgroup: 1 | 2 | null
  readonly memoryBytes: number | null
  readonly memoryPeakBytes: number | null
  /** Infinity if there is no limit. */
  readonly memoryLimitBytes: number | null
  readonly oomKills: number | null
  readonly processes: number | null
  readonly processLimit: number | null
  /** Percentage of the last ten seconds in which some process waited for memory. */
  readonly memoryPressure: number | null
  readonly cpuPressure: number | null
  readonly ioPressure: number | null
  readonly guestAvailableBytes: number | null
  readonly guestTotalBytes: number | null
  /** Processes of GitHub's runner that it sees: without a listener it looks at another container. */
  readonly listeners: number | null
  readonly workers: number | null
}

/** In every line of it. */
export const VITALS_MENTION = 'signalbox-vitals 1 '
/** cgroup v1 writes the largest page-aligned number for "no limit". */
const NO_LIMIT_BYTES = 2 ** 62
const KIB = 1024

/** Null for every other line. */
export function readVitals(line: string): Vitals | null {
  if (!line.startsWith(VITALS_MENTION)) return null
  const values = new Map(
    line.split(' ').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
  const at = Date.parse(values.get('time') ?? '')
  if (Number.isNaN(at)) return null
  const number = (key: string) => toNumber(values.get(key))
  return {
    at,
    cgroup: readCgroup(values.get('cgroup')),
    memoryBytes: number('memory.current'),
    memoryPeakBytes: number('memory.peak'),
    memoryLimitBytes: number('memory.max'),
    oomKills: number('memory.events.oom_kill'),
    processes: number('pids.current'),
    processLimit: number('pids.max'),
    memoryPressure: number('pressure.memory.some'),
    cpuPressure: number('pressure.cpu.some'),
    ioPressure: number('pressure.io.some'),
    guestAvailableBytes: inBytes(number('guest.MemAvailable')),
    guestTotalBytes: inBytes(number('guest.MemTotal')),
    listeners: number('runner.listeners'),
    workers: number('runner.workers'),
  }
}

function readCgroup(text: string | undefined): Vitals['cgroup'] {
  if (text === '1') return 1
  return text === '2' ? 2 : null
}

function toNumber(text: string | undefined): number | null {
  if (text === 'max') return Infinity
  if (text === undefined || !/^\d+(?:\.\d+)?$/.test(text)) return null
  const value = Number(text)
  return value >= NO_LIMIT_BYTES ? Infinity : value
}

function inBytes(kib: number | null): number | null {
  return kib === null ? null : kib * KIB
}
