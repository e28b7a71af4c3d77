import { seedChance } from '#test/bundles/mutate-chance.ts'

/**
 * A kind of credential as its issuer writes it. None of the values is real: each is drawn from a seed. Written from the
 * issuers' pages, not from the rules under test.
 */
export type Format = {
  readonly name: string
  /** A variable under which people keep it. */
  readonly variable: string
  readonly build: (draw: Draw) => string
  /** Without a form of its own, such as 32 hexadecimal digits: only its name or its place identifies it. */
  readonly isShapeless?: true
}

export type Draw = {
  readonly alnum: (length: number) => string
  readonly lower: (length: number) => string
  readonly upper: (length: number) => string
  readonly digits: (length: number) => string
  readonly hex: (length: number) => string
  /** The alphabet of base64 in URLs. */
  readonly url: (length: number) => string
  readonly base64: (length: number) => string
  readonly uuid: () => string
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'

/** The same sequence for the same seed. */
export function seedDraw(seed: number): Draw {
  const chance = seedChance(seed)
  const of =
    (letters: string) =>
    (length: number): string =>
      Array.from({ length }, () => letters[chance.int(letters.length)]).join('')
  const hex = of(`${DIGITS}abcdef`)
  return {
    alnum: of(`${UPPER}${LOWER}${DIGITS}`),
    lower: of(`${LOWER}${DIGITS}`),
    upper: of(`${UPPER}${DIGITS}`),
    digits: of(DIGITS),
    hex,
    url: of(`${UPPER}${LOWER}${DIGITS}_-`),
    base64: of(`${UPPER}${LOWER}${DIGITS}+/`),
    uuid: () => [hex(8), hex(4), `4${hex(3)}`, `a${hex(3)}`, hex(12)].join('-'),
  }
}

export function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

export function encodeForUrl(text: string): string {
  return Buffer.from(text).toString('base64url')
}
