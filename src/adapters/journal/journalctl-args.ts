import type { JournalQuery } from '#/ports/journal.ts'

/** Which journal: the machine's own, or a folder with journal files. */
export type JournalPlace = { readonly directory: string | null }

/** `--all` because long and unprintable messages are withheld without it. */
const ALWAYS = ['--no-pager', '--output=json', '--all']

/**
 * journalctl selects by the time at which journald read a line, a window means the time at which it was written: on a node
 * in distress the kernel's last lines are read much later. The reader drops lines after the window.
 */
const LATEST_MS = 60_000

/**
 * `-k` would mean "of this boot" as well, which is not what a window in time asks for, so kernel lines are asked for by
 * their transport.
 */
export function journalctlArgs(place: JournalPlace, query: JournalQuery): readonly string[] {
  return [
    ...ALWAYS,
    ...placeArgs(place),
    ...(query.since === undefined ? [] : [`--since=${printSeconds(query.since)}`]),
    // journalctl compares microseconds; the last millisecond of the window belongs to it.
    ...(query.until === undefined ? [] : [`--until=${printSeconds(query.until + LATEST_MS)}999`]),
    ...(query.boot === undefined ? [] : [`--boot=${query.boot}`]),
    ...(query.unit === undefined ? [] : [`--unit=${query.unit}`]),
    ...(query.grep === undefined ? [] : [`--grep=${query.grep}`]),
    ...(query.kernelOnly === true ? ['_TRANSPORT=kernel'] : []),
  ]
}

/** Every line there is, with next to nothing of each: the caller reads the first and stops. */
export function oldestLineArgs(place: JournalPlace): readonly string[] {
  return [...ALWAYS, ...placeArgs(place), '--output-fields=PRIORITY']
}

function placeArgs(place: JournalPlace): readonly string[] {
  return place.directory === null ? [] : [`--directory=${place.directory}`]
}

function printSeconds(ms: number): string {
  return `@${(Math.floor(ms) / 1000).toFixed(3)}`
}
