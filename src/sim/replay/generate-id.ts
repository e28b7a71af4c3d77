import { createHash } from 'node:crypto'

/** Generated ids, the same for the same seed. */
export function generateHex(seed: string): string {
  return createHash('sha256').update(seed).digest('hex')
}

export function generateUid(seed: string): string {
  const hex = generateHex(seed)
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
