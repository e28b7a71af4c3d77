import { promisify } from 'node:util'
import { gunzip, gzip, gzipSync } from 'node:zlib'
import { boundEvidence } from '#/adapters/storable/bound-evidence.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Beyond it a thread of its own pays; below it the thread's start, and its quarter of a megabyte, cost more than the work. */
const SMALL_BYTES = 32 * 1024

/** Content is gzip. */
export type EvidenceRow = Omit<EvidencePart, 'content'> & { readonly content: Buffer | null }

export async function evidenceToRow(part: EvidencePart): Promise<EvidenceRow> {
  const { content, ...rest } = boundEvidence(part)
  return { ...rest, content: content === null ? null : await packed(content) }
}

async function packed(content: Uint8Array): Promise<Buffer> {
  return content.length <= SMALL_BYTES ? gzipSync(content) : await compress(content)
}

export async function evidenceFromRow(row: EvidenceRow): Promise<EvidencePart> {
  if (row.content === null) return { ...row, content: null }
  const { buffer, byteOffset, byteLength } = await decompress(row.content)
  return { ...row, content: new Uint8Array(buffer, byteOffset, byteLength) }
}
