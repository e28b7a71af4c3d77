const SIGNALS = 128
/** INT, ABRT, BUS, KILL, SEGV, TERM. */
const RAW_SIGNALS: ReadonlySet<number> = new Set([2, 6, 7, 9, 11, 15])

/**
 * The kata agent reported the bare signal number until the middle of 2026. A runner never exits with one of these
 * numbers by itself, so they are read as signals for every version: a node with the fix reports 128 plus the signal.
 */
export function signalCode(code: number, isMicroVm: boolean): number {
  return isMicroVm && RAW_SIGNALS.has(code) ? SIGNALS + code : code
}

export const EXIT_CODES = {
  interrupted: 130,
  aborted: 134,
  busError: 135,
  killed: 137,
  crashed: 139,
  terminated: 143,
  lost: 255,
} as const
