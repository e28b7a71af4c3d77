/** One record of /dev/kmsg. */
export type KernelLine = {
  readonly priority: number
  /** Microseconds since the kernel started. */
  readonly monotonicUs: number
  readonly message: string
}

const RECORD = /^(\d+),(\d+),(\d+),[^;]*;([^\n]*)/

/** `6,339,5140900,-;message`; lines after it that start with a blank describe the device. */
export function readKernelRecord(record: string): KernelLine | null {
  const match = RECORD.exec(record)
  if (match === null) return null
  const [, level = '', , time = '', text = ''] = match
  const message = text.replace(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  // The lower three bits; the facility is above them.
  return { priority: Number(level) & 7, monotonicUs: Number(time), message }
}

/** As `journalctl -o json` prints a kernel line. `startedUs`: boot time by the wall clock. */
export function asJournalLine(line: KernelLine, { startedUs, bootId }: KernelRun): string {
  return `${JSON.stringify({
    __REALTIME_TIMESTAMP: String(startedUs + line.monotonicUs),
    __MONOTONIC_TIMESTAMP: String(line.monotonicUs),
    _BOOT_ID: bootId,
    _TRANSPORT: 'kernel',
    SYSLOG_IDENTIFIER: 'kernel',
    PRIORITY: String(line.priority),
    MESSAGE: line.message,
  })}\n`
}

export type KernelRun = { readonly startedUs: number; readonly bootId: string }
