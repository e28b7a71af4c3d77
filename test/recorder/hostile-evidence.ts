const MIB = 1024 * 1024
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Base64 that repeats only after a long time. */
function base64(length: number): string {
  let state = 1
  const next = (): string => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return BASE64[state % 64] ?? ''
  }
  const piece = Array.from({ length: 9973 }, next).join('')
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
}

function entry(message: string): string {
  return JSON.stringify({
    __REALTIME_TIMESTAMP: String(Date.now() * 1000),
    _HOSTNAME: 'hostile',
    SYSLOG_IDENTIFIER: 'kubelet',
    MESSAGE: message,
  })
}

/** As many of these entries as an answer may hold. */
function filled(message: string): Uint8Array {
  const line = `${entry(message)}\n`
  return Buffer.from(line.repeat(Math.floor((8 * MIB) / line.length)))
}

const times = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length))

/** Journals of the largest size, each made to be as costly as possible for patterns that look for secrets. */
export const HOSTILE_JOURNALS: Readonly<Record<string, () => Uint8Array>> = {
  'one line of base64, 5.6 MB': () => Buffer.from(`${entry(base64(5_600_000))}\n`),
  'runs of base64': () => filled(base64(100_000)),
  'beginnings of tokens': () => filled(times('eyJ-', 100_000)),
  'nested quotes': () => filled(times('"\\"token\\":\\"', 60_000)),
  'keys without values': () => filled(times('key= token= secret: A_TOKEN= ', 60_000)),
  'documents of many keys': () =>
    filled(JSON.stringify(Object.fromEntries(Array.from({ length: 3000 }, (_, key) => [`token${key}`, `eyJ-${key}`])))),
  'short lines': () => filled('token x'),
  'bytes that are no text': () => Buffer.alloc(8 * MIB, Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a, 0x80])),
}

/** What an API server sends to the audit webhook about the removal of a pod, as bad as it can be. */
export const HOSTILE_REQUESTS: Readonly<Record<string, () => string>> = {
  'deep nesting': () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'a string of a megabyte': () => JSON.stringify({ reason: times('eyJ-', MIB) }),
  'huge keys': () =>
    JSON.stringify(Object.fromEntries([1, 2, 3, 4].map((key) => [`${key}${times('token=', MIB)}`, 1]))),
  'many keys': () =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 200_000 }, (_, key) => [`token${key}`, `eyJ-${key}`]))),
}

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(',')
/** Of letters only, as the protocol wants it. */
const letters = (index: number): string => String(index).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')

/** What an agent may send in place of an answer. */
export const HOSTILE_ANSWERS: Readonly<Record<string, () => Uint8Array | 'silence'>> = {
  'half a million counters': () =>
    Buffer.from(
      `{"kind":"cgroups","copies":[{"container":null,"readAt":null,"files":{${many(500_000, (index) => `"memory.${letters(index)}":"1"`)}}}]}`,
    ),
  'eight million levels': () => Buffer.from(`{"kind":"none","a":${'['.repeat(8_000_000)}${']'.repeat(8_000_000)}}`),
  'a log of 15 MB': () =>
    Buffer.from(
      `{"kind":"logs","logs":[{"container":"runner","previous":false,"cut":false,"text":"${times('eyJ-', 15 * MIB)}"}]}`,
    ),
  'bytes that are no text': () => Buffer.alloc(16 * MIB, Buffer.from([0xff, 0xfe, 0xc3, 0x28])),
  silence: () => 'silence',
}
