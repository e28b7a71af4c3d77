import type { JournalLine } from '#/ports/journal.ts'
import type { ParsedLine } from './parse-json-line.ts'
import { parseTime } from './short-iso-time.ts'

export type ShortIsoParser = {
  /** The lines that are complete now: a message can go on over several lines of text. */
  readonly push: (text: string) => readonly ParsedLine[]
  /** The line that is open, because no more of it comes. */
  readonly end: () => readonly ParsedLine[]
  /** The boot that the last remark named. */
  readonly bootId: () => string | null
}

const ORIGIN = /^(\S{1,255}) (.{1,255}?)(?:\[(\d{1,10})\])?: /
const BOOT = /^-- Boot ([0-9a-f]{32}) --$/
const WITHHELD = /^\[[0-9.]+[KMGTP]?B? blob data\]$/

type Entry = Extract<ParsedLine, { kind: 'line' }>

/** `journalctl -o short-iso` and `short-iso-precise`. */
export function createShortIsoParser(): ShortIsoParser {
  let bootId: string | null = null
  let open: Entry | null = null
  let rest: string[] = []

  const close = (): readonly ParsedLine[] => {
    if (open === null) return []
    const { line, resolutionMs } = open
    const closed: Entry =
      rest.length === 0
        ? open
        : { kind: 'line', line: { ...line, message: [line.message ?? '', ...rest].join('\n') }, resolutionMs }
    open = null
    rest = []
    return [closed]
  }

  return {
    push: (text) => {
      // journalctl indents what follows the first line of a message.
      if (open !== null && /^\s/.test(text)) {
        rest.push(text.trimStart())
        return []
      }
      const closed = close()
      if (isRemark(text)) {
        bootId = text === '-- Reboot --' ? null : (BOOT.exec(text)?.[1] ?? bootId)
        return closed
      }
      open = parseEntry(text, bootId)
      return open === null ? [...closed, { kind: 'unreadable', why: 'the line does not begin with a time' }] : closed
    },
    end: close,
    bootId: () => bootId,
  }
}

/** What journalctl says of itself: "-- No entries --", "-- Boot … --", "-- Logs begin at … --". */
export function isRemark(text: string): boolean {
  return text === '' || /^-- .* --$/.test(text)
}

function parseEntry(text: string, bootId: string | null): Entry | null {
  const time = parseTime(text)
  if (time === null) return null
  const line = parseOrigin(text.slice(time.length), time.at, bootId)
  return line === null ? null : { kind: 'line', line, resolutionMs: time.resolutionMs }
}

/** What follows the time: host, program and message. */
export function parseOrigin(text: string, at: number, bootId: string | null): JournalLine | null {
  const origin = ORIGIN.exec(text)
  if (origin === null) return null
  const [prefix, host = null, identifier = null, pid = null] = origin
  const message = text.slice(prefix.length)
  return {
    at,
    readAt: at,
    monotonicUs: null,
    bootId,
    host,
    unit: null,
    identifier,
    pid: pid === null ? null : Number(pid),
    comm: null,
    priority: null,
    transport: identifier === 'kernel' ? 'kernel' : null,
    message: WITHHELD.test(message) ? null : message,
  }
}
