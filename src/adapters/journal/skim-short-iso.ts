import { parseOrigin } from './parse-short-iso.ts'
import { createTimeReader } from './short-iso-time.ts'
import type { LineSkimmer, SkimmedLine } from './skimmer.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const BLANK = 0x20
const LAST_ASCII = 0x7e
const COLON = 0x3a
const BRACKET = 0x5b
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39

/** So long may the name of a host and of a program be. */
const LONGEST_NAME = 255

/**
 * Lines of `journalctl -o short-iso`. Only a line behind which another entry begins is skimmed, because a message can go on
 * over several lines, and only one whose message cannot have been withheld.
 */
export function createShortIsoSkimmer(bootId: () => string | null): LineSkimmer {
  const readTime = createTimeReader()
  let skimmed: SkimmedLine | null = null
  let originStart = 0
  return {
    skim: (bytes, start) => {
      skimmed = null
      const feed = isDigit(bytes[start] ?? 0) ? bytes.indexOf(LINE_FEED, start) : -1
      if (feed < 0 || !isDigit(bytes[feed + 1] ?? 0)) return null
      const end = bytes[feed - 1] === CARRIAGE_RETURN ? feed - 1 : feed
      const time = readTime(bytes, start)
      if (time === null) return null
      originStart = start + time.length
      const messageStart = endOfOrigin(bytes, originStart, end)
      if (messageStart < 0 || mayBeWithheld(bytes, messageStart)) return null
      const { at, resolutionMs } = time
      skimmed = { at, resolutionMs, bootId: bootId(), bytes, messageStart, messageEnd: end, next: feed + 1 }
      return skimmed
    },
    build: () => {
      if (skimmed === null) throw new TypeError('no line was skimmed')
      const { at, bytes, messageEnd } = skimmed
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + originStart, messageEnd - originStart).toString('utf8')
      const line = parseOrigin(text, at, skimmed.bootId)
      if (line === null) throw new TypeError('a line that was skimmed has no origin')
      return line
    },
  }
}

/** Behind `HOST PROGRAM[PID]: `, or -1 where it is anything but plain. */
function endOfOrigin(bytes: Uint8Array, start: number, end: number): number {
  const hostEnd = endOfPlain(bytes, start, end)
  if (hostEnd === start || hostEnd - start > LONGEST_NAME || bytes[hostEnd] !== BLANK) return -1
  const limit = Math.min(end - 1, hostEnd + 2 + LONGEST_NAME)
  for (let index = hostEnd + 1; index < limit; index += 1) {
    const byte = bytes[index] ?? 0
    if (byte < BLANK || byte > LAST_ASCII) return -1
    if (byte === COLON && bytes[index + 1] === BLANK) return index === hostEnd + 1 ? -1 : index + 2
  }
  return -1
}

function endOfPlain(bytes: Uint8Array, start: number, end: number): number {
  let index = start
  while (index < end && (bytes[index] ?? 0) > BLANK && (bytes[index] ?? 0) <= LAST_ASCII) index += 1
  return index
}

/** `[20B blob data]`, or what begins like it. */
function mayBeWithheld(bytes: Uint8Array, start: number): boolean {
  const second = bytes[start + 1] ?? 0
  return bytes[start] === BRACKET && (isDigit(second) || second === DOT)
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}
