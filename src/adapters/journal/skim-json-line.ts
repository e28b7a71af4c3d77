import { ABSENT, FIELDS, findJsonFields, newPlaces } from './find-json-fields.ts'
import type { Field } from './find-json-fields.ts'
import { happenedAt, toMs } from './late-line.ts'
import type { LineSkimmer } from './skimmer.ts'

/** The parser takes no more digits for a number. */
const MAX_DIGITS = 16
const ZERO = 0x30

/** Lines of `journalctl -o json` that are made of texts only, as nearly all are. */
export function createJsonSkimmer(): LineSkimmer {
  const places = newPlaces()
  const { starts, ends } = places
  const sharing = createSharing()
  let bytes: Uint8Array = new Uint8Array()
  let at = 0

  const number = (field: Field): number | null => readDigits(bytes, starts[field] ?? ABSENT, ends[field] ?? ABSENT)

  const shared = (field: Field): string | null => sharing(bytes, starts[field] ?? ABSENT, ends[field] ?? ABSENT)

  return {
    skim: (chunk, start) => {
      bytes = chunk
      const next = findJsonFields(chunk, start, places)
      if (next < 0) return null
      const realtimeUs = number(FIELDS.__REALTIME_TIMESTAMP)
      if (realtimeUs === null) return null
      at = happenedAt({
        realtimeUs,
        monotonicUs: number(FIELDS.__MONOTONIC_TIMESTAMP),
        sourceRealtimeUs: number(FIELDS._SOURCE_REALTIME_TIMESTAMP),
        sourceMonotonicUs: number(FIELDS._SOURCE_MONOTONIC_TIMESTAMP),
      })
      const messageStart = starts[FIELDS.MESSAGE] ?? ABSENT
      const messageEnd = ends[FIELDS.MESSAGE] ?? ABSENT
      return { at, resolutionMs: 1, bootId: shared(FIELDS._BOOT_ID), bytes, messageStart, messageEnd, next }
    },
    build: () => ({
      at,
      readAt: toMs(number(FIELDS.__REALTIME_TIMESTAMP) ?? 0),
      monotonicUs: number(FIELDS._SOURCE_MONOTONIC_TIMESTAMP) ?? number(FIELDS.__MONOTONIC_TIMESTAMP),
      bootId: shared(FIELDS._BOOT_ID),
      host: shared(FIELDS._HOSTNAME),
      unit: shared(FIELDS._SYSTEMD_UNIT) ?? shared(FIELDS.UNIT),
      identifier: shared(FIELDS.SYSLOG_IDENTIFIER),
      pid: number(FIELDS._PID) ?? number(FIELDS.SYSLOG_PID),
      comm: shared(FIELDS._COMM),
      priority: number(FIELDS.PRIORITY),
      transport: shared(FIELDS._TRANSPORT),
      message: readText(bytes, starts[FIELDS.MESSAGE] ?? ABSENT, ends[FIELDS.MESSAGE] ?? ABSENT),
    }),
  }
}

/** Null for what is not a number by its digits alone. */
function readDigits(bytes: Uint8Array, start: number, end: number): number | null {
  if (start === ABSENT || end === start || end - start > MAX_DIGITS) return null
  let number = 0
  for (let index = start; index < end; index += 1) {
    const digit = (bytes[index] ?? 0) - ZERO
    if (digit < 0 || digit > 9) return null
    number = number * 10 + digit
  }
  return Number.isSafeInteger(number) ? number : null
}

/** A text of the line, whose quotes stand around it. */
function readText(bytes: Uint8Array, start: number, end: number): string | null {
  if (start === ABSENT) return null
  const quoted = Buffer.from(bytes.buffer, bytes.byteOffset + start - 1, end - start + 2).toString('utf8')
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
}

/** A power of two, far more than a node has units and programs. */
const SHARED_TEXTS = 1024
const LONGEST_SHARED = 128

/** Boots, hosts, units and programs come again and again: their lines have one text in common, and it is made once. */
function createSharing(): (bytes: Uint8Array, start: number, end: number) => string | null {
  const known = new Map<number, { readonly bytes: Uint8Array; readonly text: string | null }>()
  return (bytes, start, end) => {
    if (start === ABSENT || end - start > LONGEST_SHARED) return readText(bytes, start, end)
    let hash = 0
    for (let index = start; index < end; index += 1) hash = (Math.imul(hash, 31) + (bytes[index] ?? 0)) | 0
    const place = hash & (SHARED_TEXTS - 1)
    const same = known.get(place)
    if (same !== undefined && isSame(bytes, start, end, same.bytes)) return same.text
    const text = readText(bytes, start, end)
    known.set(place, { bytes: bytes.slice(start, end), text })
    return text
  }
}

function isSame(bytes: Uint8Array, start: number, end: number, known: Uint8Array): boolean {
  if (end - start !== known.length) return false
  for (let index = 0; index < known.length; index += 1) if (bytes[start + index] !== known[index]) return false
  return true
}
