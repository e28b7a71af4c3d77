import { createHash } from 'node:crypto'
import type { Digest } from '#/core/redaction/redaction-secret.ts'

/** In lower-case hexadecimal. `core` and the audits get it as an argument: they import nothing of Node. */
export const sha256: Digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
