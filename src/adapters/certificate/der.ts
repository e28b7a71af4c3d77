/** The part of DER (ITU-T X.690) that a certificate needs. Node signs and verifies certificates, but writes none. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

export function encode(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content])
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = bigEndian(length)
  return Buffer.from([0x80 + bytes.length, ...bytes])
}

function bigEndian(value: number): readonly number[] {
  return value < 256 ? [value] : [...bigEndian(Math.floor(value / 256)), value % 256]
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => encode(TAG.sequence, ...parts)

/** `[number]` around the parts, for a field that is optional in its sequence. */
export const explicit = (number: number, ...parts: readonly Uint8Array[]): Buffer => encode(0xa0 + number, ...parts)

/** The bytes of a field of this number in place of its own tag. */
export const implicit = (number: number, content: Uint8Array): Buffer => encode(0x80 + number, content)

/** Of a whole number that is not negative, the highest byte first. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1
  const least = bytes.subarray(start)
  // The highest bit is the sign.
  return encode(TAG.integer, ...((least[0] ?? 0) >= 0x80 ? [Buffer.from([0])] : []), least)
}

/** `1.2.840.10045.4.3.2`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap(baseOf128)
  return encode(TAG.objectId, Buffer.from(bytes))
}

function baseOf128(value: number): readonly number[] {
  const bytes = [value % 128]
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) bytes.unshift(0x80 + (left % 128))
  return bytes
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return encode(TAG.bitString, Buffer.from([unusedBits]), bytes)
}

/** RFC 5280: two digits of the year up to 2049, four from then on; no fractions. */
export function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  const isShort = new Date(at).getUTCFullYear() < 2050
  return encode(isShort ? TAG.utcTime : TAG.generalizedTime, Buffer.from(isShort ? digits.slice(2) : digits))
}
