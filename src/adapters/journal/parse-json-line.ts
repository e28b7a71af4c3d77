import { isJsonObject, parseJson } from '#/core/evidence/bundle-json.ts'
import type { JournalLine } from '#/ports/journal.ts'
import { happenedAt, toMs } from './late-line.ts'

export type ParsedLine =
  | { readonly kind: 'line'; readonly line: JournalLine; readonly resolutionMs: number }
  | { readonly kind: 'unreadable'; readonly why: string }

/** One line of `journalctl -o json`. */
export function parseJsonLine(text: string): ParsedLine {
  const reading = parseJson(text)
  if (reading.kind === 'malformed') return { kind: 'unreadable', why: reading.why }
  if (!isJsonObject(reading.value)) return { kind: 'unreadable', why: 'the line is not an object' }
  const fields = reading.value
  const realtimeUs = toNumber(fields['__REALTIME_TIMESTAMP'])
  if (realtimeUs === null) return { kind: 'unreadable', why: '__REALTIME_TIMESTAMP is not a number' }
  const monotonicUs = toNumber(fields['__MONOTONIC_TIMESTAMP'])
  const sourceMonotonicUs = toNumber(fields['_SOURCE_MONOTONIC_TIMESTAMP'])
  const sourceRealtimeUs = toNumber(fields['_SOURCE_REALTIME_TIMESTAMP'])
  const line: JournalLine = {
    at: happenedAt({ realtimeUs, monotonicUs, sourceMonotonicUs, sourceRealtimeUs }),
    readAt: toMs(realtimeUs),
    monotonicUs: sourceMonotonicUs ?? monotonicUs,
    bootId: toText(fields['_BOOT_ID']),
    host: toText(fields['_HOSTNAME']),
    unit: toText(fields['_SYSTEMD_UNIT']) ?? toText(fields['UNIT']),
    identifier: toText(fields['SYSLOG_IDENTIFIER']),
    pid: toNumber(fields['_PID']) ?? toNumber(fields['SYSLOG_PID']),
    comm: toText(fields['_COMM']),
    priority: toNumber(fields['PRIORITY']),
    transport: toText(fields['_TRANSPORT']),
    message: toMessage(fields['MESSAGE']),
  }
  return { kind: 'line', line, resolutionMs: 1 }
}

/** Numbers are printed as text; a field that was given twice is an array, of which the first counts. */
function toNumber(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : toText(value)
  if (text === null || !/^\d{1,16}$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : null
}

function toText(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : null
}

/** Text, bytes where it is not printable, null where it is too long, or an array of these where it was given twice. */
function toMessage(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || value.length === 0) return null
  const items: readonly unknown[] = value
  if (items.every(isByte)) return Buffer.from(items).toString('utf8')
  const parts = items.map(toMessage).filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join('\n')
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256
}
