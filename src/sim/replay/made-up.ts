import { createHash } from 'node:crypto'

/** Generated ids, the same for the same seed. */
export function madeUpHex(words: string): string {
  return createHash('sha256').update(words).digest('hex')
}

export function madeUpUid(words: string): string {
  const hex = madeUpHex(words)
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
