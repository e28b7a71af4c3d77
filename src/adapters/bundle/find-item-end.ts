/** Finds where the last item ends that is whole in these bytes. They begin where the answer before pointed. */
export type FindItemEnd = {
  /** Behind the item; null where none is whole. */
  readonly lastEnd: (bytes: Buffer) => number | null
  /** It counts brackets, and cannot be misled. */
  readonly isCounting: boolean
}

/** The way that fits how the first item begins; null where that is not there yet. */
export function itemEndFinder(bytes: Buffer): FindItemEnd | null {
  const at = firstVisible(bytes)
  if (at === null) return null
  const feed = bytes.subarray(0, at).lastIndexOf('\n')
  return feed < 0 ? byBrackets() : byLastLine(Buffer.concat([bytes.subarray(feed, at), Buffer.from('}')]))
}

const SPACE = 0x20

export function firstVisible(bytes: Uint8Array): number | null {
  let at = 0
  while (at < bytes.length && (bytes[at] ?? 0) <= SPACE) at += 1
  return at === bytes.length ? null : at
}

/** An item that is printed over lines ends with a line of its own indentation: found many times faster than brackets are counted. */
function byLastLine(line: Buffer): FindItemEnd {
  return {
    isCounting: false,
    lastEnd: (bytes) => {
      const at = bytes.lastIndexOf(line)
      return at < 0 ? null : at + line.length
    },
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Square brackets are braces without this bit. */
const BRACE_BIT = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/** What was looked at is not looked at again; behind the end of the list nothing is found. */
export function byBrackets(): FindItemEnd {
  let depth = 0
  let isQuoted = false
  let isEscaped = false
  let looked = 0

  const inQuotes = (byte: number): void => {
    if (isEscaped) isEscaped = false
    else if (byte === BACKSLASH) isEscaped = true
    else if (byte === QUOTE) isQuoted = false
  }

  return {
    isCounting: true,
    lastEnd: (bytes) => {
      let found: number | null = null
      let at = looked
      for (; at < bytes.length && depth >= 0; at += 1) {
        const byte = bytes[at] ?? 0
        if (isQuoted) inQuotes(byte)
        else if (byte === QUOTE) isQuoted = true
        else if ((byte | BRACE_BIT) === OPEN) depth += 1
        else if ((byte | BRACE_BIT) === CLOSE) {
          depth -= 1
          if (depth === 0) found = at + 1
        }
      }
      looked = at - (found ?? 0)
      return found
    },
  }
}
