import type { Chance } from '#test/bundles/mutate-chance.ts'
import { onFile } from '#test/bundles/mutate-files.ts'
import type { Changed, Mutation } from '#test/bundles/mutate-files.ts'

const LINE_FEED = 0x0a
const MANY_BYTES = 20 * 1024 * 1024
const SOME_BYTES = 100_000
const REPEATED_BYTES = 4 * 1024 * 1024

/** What no text holds: a digit can never become another digit by it. */
const NO_TEXT: readonly (readonly number[])[] = [
  [0],
  [0, 0, 0, 0],
  [0xff],
  [0xc3, 0x28],
  [0xed, 0xa0, 0x80],
  [0xfe, 0xff, 0xfe],
]

/** Characters on which a careless pattern backtracks. */
const FILLINGS = [
  'x',
  '\r',
  ' ',
  '\t',
  '"',
  '{',
  '[',
  '\\',
  '=',
  '/',
  ':',
  ',',
  '0',
  '.',
  '-',
  '<',
  '(',
  'a ',
  '": "',
  '\u202e',
  '\0',
]

function insert(bytes: Uint8Array, at: number, piece: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
}

function startOfLine(bytes: Uint8Array, near: number): number {
  return bytes.lastIndexOf(LINE_FEED, near) + 1
}

function garble(bytes: Uint8Array, chance: Chance): Changed {
  let garbled = bytes
  const places: number[] = []
  for (let times = 1 + chance.int(5); times > 0; times -= 1) {
    const at = chance.int(garbled.length + 1)
    garbled = insert(garbled, at, Uint8Array.from(chance.pick(NO_TEXT)))
    places.push(at)
  }
  return { bytes: garbled, description: `bytes of no text at ${places.join(', ')}` }
}

function flip(bytes: Uint8Array, chance: Chance): Changed | null {
  if (bytes.length === 0) return null
  const flipped = Uint8Array.from(bytes)
  const places: string[] = []
  for (let times = 1 + chance.int(8); times > 0; times -= 1) {
    const at = chance.int(bytes.length)
    flipped[at] = chance.int(256)
    places.push(`${at}=${flipped[at]}`)
  }
  return { bytes: flipped, description: places.join(' ') }
}

/** A line of one character, inside the file and closed by something else: that is where patterns look back. */
function longLine(bytes: Uint8Array, chance: Chance): Changed {
  const filling = chance.pick(FILLINGS)
  const head = chance.pick([
    '',
    '2026-06-06T21:35:06Z ',
    '2026-06-06T21:35:06Z stdout F ',
    '{"MESSAGE":"',
    'Error: ',
    '-- ',
  ])
  const at = startOfLine(bytes, chance.int(bytes.length + 1))
  const line = `${head}${filling.repeat(Math.ceil(SOME_BYTES / filling.length))}|\n`
  return { bytes: insert(bytes, at, Buffer.from(line)), description: `a line of ${JSON.stringify(head + filling)}… at ${at}` }
}

function hugeLine(bytes: Uint8Array, chance: Chance): Changed {
  const letter = chance.pick(['x', ' ', '9'])
  const at = startOfLine(bytes, chance.int(bytes.length + 1))
  return {
    bytes: insert(bytes, at, Buffer.alloc(MANY_BYTES, letter)),
    description: `20 MB of ${JSON.stringify(letter)} at ${at}`,
  }
}

function repeatLine(bytes: Uint8Array, chance: Chance): Changed | null {
  const start = startOfLine(bytes, chance.int(bytes.length + 1))
  const feed = bytes.indexOf(LINE_FEED, start)
  const line = bytes.subarray(start, feed < 0 ? bytes.length : feed + 1)
  if (line.length === 0) return null
  const times = Math.min(1_000_000, Math.floor(REPEATED_BYTES / line.length))
  return {
    bytes: insert(bytes, start, Buffer.alloc(times * line.length, line)),
    description: `the line at ${start}, ${times} times`,
  }
}

export const BYTE_MUTATIONS: readonly Mutation[] = [
  onFile({ name: 'truncate', isLoss: true, weight: 14 }, (bytes, chance) => {
    const at = chance.int(bytes.length + 1)
    return { bytes: bytes.subarray(0, at), description: `at ${at} of ${bytes.length}` }
  }),
  onFile({ name: 'truncate after a line', isLoss: true, weight: 8 }, (bytes, chance) => {
    const at = startOfLine(bytes, chance.int(bytes.length + 1))
    return { bytes: bytes.subarray(0, at), description: `at ${at} of ${bytes.length}` }
  }),
  onFile({ name: 'behead', isLoss: true, weight: 5 }, (bytes, chance) => {
    const at = chance.int(bytes.length + 1)
    return { bytes: bytes.subarray(at), description: `the first ${at} of ${bytes.length}` }
  }),
  onFile({ name: 'empty', isLoss: true, weight: 5 }, () => ({ bytes: '', description: 'nothing is left' })),
  onFile({ name: 'garble', isLoss: true, weight: 12 }, garble),
  onFile({ name: 'replace by noise', isLoss: true, weight: 4 }, (_bytes, chance) => {
    const noise = Uint8Array.from({ length: 1 + chance.int(3000) }, () => chance.int(256))
    return { bytes: noise, description: `${noise.length} bytes` }
  }),
  onFile({ name: 'flip', isLoss: false, weight: 10 }, flip),
  onFile({ name: 'CRLF', isLoss: false, weight: 3 }, (bytes) => ({ bytes: crlf(bytes), description: 'every line' })),
  onFile({ name: 'byte order mark', isLoss: false, weight: 3 }, mark),
  onFile({ name: 'long line', isLoss: false, weight: 1.5 }, longLine),
  onFile(
    { name: 'huge line', isLoss: false, weight: 0.2, fits: /^(?:logs|journal|github\/logs)\/|audit|pods|events/ },
    hugeLine,
  ),
  onFile({ name: 'repeated line', isLoss: false, weight: 0.3, fits: /\.(?:log|jsonl)$/ }, repeatLine),
]

function crlf(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
}

function mark(bytes: Uint8Array, chance: Chance): Changed {
  if (chance.isOneIn(2)) return { bytes: Buffer.concat([Buffer.from('\uFEFF'), bytes]), description: 'of UTF-8' }
  return { bytes: Buffer.from(`\uFEFF${Buffer.from(bytes).toString('utf8')}`, 'utf16le'), description: 'of UTF-16' }
}
