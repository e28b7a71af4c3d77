import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '#/core/basics/secret.ts'

export type SignatureVerdict = 'valid' | 'missing' | 'malformed' | 'mismatch' | 'too-large'

/** GitHub sends nothing larger. */
export const LARGEST_WEBHOOK_BYTES = 25 * 2 ** 20

const SHA256_SIGNATURE = /^sha256=([0-9a-f]{64})$/iu

/**
 * Whether one of the secrets (two during a rotation) signed these bytes. Every secret is tried and compared in constant
 * time, so that timing reveals neither how much matched nor which secret did.
 */
export function verifySignature(
  secrets: readonly Secret[],
  body: Uint8Array,
  header: string | undefined,
): SignatureVerdict {
  if (header === undefined || header === '') return 'missing'
  const hex = SHA256_SIGNATURE.exec(header)?.[1]
  if (hex === undefined) return 'malformed'
  if (body.byteLength > LARGEST_WEBHOOK_BYTES) return 'too-large'
  const given = Buffer.from(hex, 'hex')
  const matches = secrets.map((secret) => signs(secret.reveal(), body, given))
  return matches.includes(true) ? 'valid' : 'mismatch'
}

/** Anybody can sign with an empty secret. */
function signs(secret: string, body: Uint8Array, given: Uint8Array): boolean {
  return secret !== '' && timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given)
}
