const WORD = 2 ** 32

/** The first 32 bits of the fractional parts of a root of each of the first primes. */
function fractions(count: number, root: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (isPrime(candidate)) found.push(Math.floor((candidate ** (1 / root) % 1) * WORD) | 0)
  }
  return found
}

function isPrime(candidate: number): boolean {
  for (let factor = 2; factor * factor <= candidate; factor += 1) if (candidate % factor === 0) return false
  return true
}

const ROUNDS = 64
const START = fractions(8, 2) as unknown as State
const CONSTANTS = fractions(ROUNDS, 3)

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/**
 * SHA-256 in lower-case hexadecimal (FIPS 180-4). Only to compare two values that we already hold, one of them as
 * `collect` wrote it: it keeps nothing secret.
 */
export function sha256(bytes: Uint8Array): string {
  let state = START
  const padded = pad(bytes)
  for (let offset = 0; offset < padded.byteLength; offset += 64) state = absorb(state, padded, offset)
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

function pad(bytes: Uint8Array): DataView {
  const size = Math.ceil((bytes.length + 9) / 64) * 64
  const padded = new Uint8Array(size)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(size - 8, BigInt(bytes.length) * 8n)
  return view
}

type State = readonly [number, number, number, number, number, number, number, number]

function absorb(state: State, view: DataView, offset: number): State {
  const schedule = scheduleOf(view, offset)
  let [a, b, c, d, e, f, g, h] = state
  for (let round = 0; round < ROUNDS; round += 1) {
    const chosen = (e & f) ^ (~e & g)
    const mixedE = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    const first = (h + mixedE + chosen + (CONSTANTS[round] ?? 0) + (schedule[round] ?? 0)) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const mixedA = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + mixedA + majority) | 0]
  }
  return add(state, [a, b, c, d, e, f, g, h])
}

function add(a: State, b: State): State {
  return [
    (a[0] + b[0]) | 0,
    (a[1] + b[1]) | 0,
    (a[2] + b[2]) | 0,
    (a[3] + b[3]) | 0,
    (a[4] + b[4]) | 0,
    (a[5] + b[5]) | 0,
    (a[6] + b[6]) | 0,
    (a[7] + b[7]) | 0,
  ]
}

function scheduleOf(view: DataView, offset: number): Int32Array {
  const schedule = new Int32Array(ROUNDS)
  for (let index = 0; index < 16; index += 1) schedule[index] = view.getInt32(offset + index * 4)
  for (let index = 16; index < ROUNDS; index += 1) {
    const early = schedule[index - 15] ?? 0
    const late = schedule[index - 2] ?? 0
    const mixedEarly = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
    const mixedLate = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)
    schedule[index] = (schedule[index - 16] ?? 0) + mixedEarly + (schedule[index - 7] ?? 0) + mixedLate
  }
  return schedule
}
