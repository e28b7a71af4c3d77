import { createHmac, randomBytes } from 'node:crypto'
import type { Digest } from '#/core/redaction/redaction-secret.ts'

const KEY = randomBytes(32)

/**
 * To show that two credentials of one run are equal or not. A plain digest of a weak password can be guessed offline by
 * whoever reads it; without the key of this process, which nobody keeps, this one cannot.
 */
export const keyedDigest: Digest = (bytes) => createHmac('sha256', KEY).update(bytes).digest('hex')
