import type { JournalLine } from '#/ports/journal.ts'
import type { ParsedLine } from './parse-json-line.ts'

export type ShortIsoParser = {
  /** The lines that are complete now: a message can go on over several lines of text. */
  readonly push: (text: string) => readonly ParsedLine[]
  readonly end: () => readonly ParsedLine[]
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([.,]\d{1,9})?(Z|[+-]\d\d:?\d\d) /
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
    const { line } = open
    const message = rest.length === 0 ? line.message : [line.message ?? '', ...rest].join('\n')
    const closed: Entry = { ...open, line: { ...line, message } }
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
  }
}

/** What journalctl says of itself: "-- No entries --", "-- Boot … --", "-- Logs begin at … --". */
export function isRemark(text: string): boolean {
  return text === '' || /^-- .* --$/.test(text)
}

function parseEntry(text: string, bootId: string | null): Entry | null {
  const time = parseTime(text)
  const origin = ORIGIN.exec(text.slice(time?.length ?? 0))
  if (time === null || origin === null) return null
  const [prefix, host = null, identifier = null, pid = null] = origin
  const message = text.slice(time.length + prefix.length)
  const line: JournalLine = {
    at: time.at,
    readAt: time.at,
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
  return { kind: 'line', line, resolutionMs: time.resolutionMs }
}

function parseTime(
  text: string,
): { readonly at: number; readonly resolutionMs: number; readonly length: number } | null {
  const match = TIME.exec(text)
  if (match === null) return null
  const [prefix, seconds = '', fraction = '', zone = ''] = match
  const at = Date.parse(`${seconds}${fraction.replace(',', '.')}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`)
  return Number.isNaN(at) ? null : { at, resolutionMs: fraction === '' ? 1000 : 1, length: prefix.length }
}
