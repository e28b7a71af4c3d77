import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { boundEvidence } from '#/adapters/bound-evidence.ts'
import type { EvidencePart } from '#/ports/store.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Content is gzip. */
export type EvidenceRow = Omit<EvidencePart, 'content'> & { readonly content: Buffer | null }

export async function evidenceToRow(part: EvidencePart): Promise<EvidenceRow> {
  const { content, ...rest } = boundEvidence(part)
  return { ...rest, content: content === null ? null : await compress(content) }
}

export async function evidenceFromRow(row: EvidenceRow): Promise<EvidencePart> {
  if (row.content === null) return { ...row, content: null }
  const { buffer, byteOffset, byteLength } = await decompress(row.content)
  return { ...row, content: new Uint8Array(buffer, byteOffset, byteLength) }
}
