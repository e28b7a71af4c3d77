export type PrintedTime = {
  readonly at: number
  /** How much time the line stands for: it may be printed in seconds. */
  readonly resolutionMs: number
  /** With the blank behind it. */
  readonly length: number
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([.,]\d{1,9})?(Z|[+-]\d\d:?\d\d) /

/** Where the parts of `2026-11-15T20:38:00.193367+00:00` stand. */
const HOUR = 11
const MINUTE_END = 16
const SECOND = 17
const SECOND_END = 19
const LONGEST_TIME = 40

const DOT = 0x2e
const COMMA = 0x2c
const COLON = 0x3a
const ZERO = 0x30

export function parseTime(text: string): PrintedTime | null {
  const match = TIME.exec(text)
  if (match === null) return null
  const [prefix, seconds = '', fraction = '', zone = ''] = match
  const at = Date.parse(`${seconds}${fraction.replace(',', '.')}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`)
  return Number.isNaN(at) ? null : { at, resolutionMs: fraction === '' ? 1000 : 1, length: prefix.length }
}

/** Reads the time at the beginning of a line. The lines of one minute have all but the seconds in common, which is read once. */
export function createTimeReader(): (bytes: Uint8Array, start: number) => PrintedTime | null {
  let minute = new Uint8Array()
  let zone = new Uint8Array()
  let minuteAt = 0
  return (bytes, start) => {
    const seconds = readSeconds(bytes, start)
    const fractionEnd = endOfFraction(bytes, start + SECOND_END)
    const ms = seconds * 1000 + readMilliseconds(bytes, start + SECOND_END + 1, fractionEnd)
    if (seconds >= 0 && minute.length > 0 && isSame(bytes, start, minute) && isSame(bytes, fractionEnd, zone)) {
      const length = fractionEnd - start + zone.length
      return { at: minuteAt + ms, resolutionMs: fractionEnd === start + SECOND_END ? 1000 : 1, length }
    }
    const text = Buffer.from(bytes.subarray(start, start + LONGEST_TIME)).toString('latin1')
    const time = parseTime(text)
    // 24:00:00 is a time, and every second of that hour but the first is none.
    if (time === null || seconds < 0 || text.startsWith('24', HOUR)) return time
    minute = bytes.slice(start, start + MINUTE_END)
    zone = bytes.slice(fractionEnd, start + time.length)
    minuteAt = time.at - ms
    return time
  }
}

/** -1 for what is not `:00` to `:59`. */
function readSeconds(bytes: Uint8Array, start: number): number {
  const tens = digitAt(bytes, start + SECOND)
  const ones = digitAt(bytes, start + SECOND + 1)
  return bytes[start + MINUTE_END] === COLON && tens >= 0 && tens < 6 && ones >= 0 ? tens * 10 + ones : -1
}

/** Behind `.193367`; where it begins if that is no fraction. */
function endOfFraction(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== DOT && bytes[start] !== COMMA) return start
  let end = start + 1
  while (digitAt(bytes, end) >= 0) end += 1
  const digits = end - start - 1
  return digits >= 1 && digits <= 9 ? end : start
}

/** The first three digits of a fraction count. */
function readMilliseconds(bytes: Uint8Array, start: number, end: number): number {
  const digit = (index: number): number => (index < end ? digitAt(bytes, index) : 0)
  return digit(start) * 100 + digit(start + 1) * 10 + digit(start + 2)
}

function digitAt(bytes: Uint8Array, index: number): number {
  const digit = (bytes[index] ?? 0) - ZERO
  return digit >= 0 && digit <= 9 ? digit : -1
}

/** From the end, where they differ first. */
function isSame(bytes: Uint8Array, start: number, known: Uint8Array): boolean {
  for (let index = known.length - 1; index >= 0; index -= 1) if (bytes[start + index] !== known[index]) return false
  return true
}
