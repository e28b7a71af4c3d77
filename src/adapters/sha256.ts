import { createHash } from 'node:crypto'
import type { Digest } from '#/core/redaction/redaction-secret.ts'

/** In lower-case hexadecimal. */
export const sha256: Digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
