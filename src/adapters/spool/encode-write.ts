import { promisify } from 'node:util'
import { crc32, gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib'
import type { DeathWrite } from '#/ports/pending-writings.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Beyond it a thread of its own pays. */
const SMALL_BYTES = 32 * 1024
/** A death must be on disk soon, and is there for a short time. */
const FAST = { level: 1 }
const HEAD_LENGTH_BYTES = 4
/** Far above what is written, and far below what would take all memory. */
const MOST_BYTES = 1024 * 1024 * 1024

type Head = {
  readonly postmortem: DeathWrite['postmortem']
  readonly evidence: readonly (Omit<EvidencePart, 'content'> & { readonly bytes: number | null })[]
}

/** Begins a payload with a mark. One without it begins as gzip does. */
const MARKED = 1
const MARK_BYTES = 5

/** Whose death it may be, so that one is found without reading all of them. */
export function toMark(uid: string): number {
  return crc32(uid)
}

/** Of the payload that begins there; null where it has none. */
export function readMark(bytes: Buffer, start: number): number | null {
  return bytes.length >= start + MARK_BYTES && bytes[start] === MARKED ? bytes.readUInt32LE(start + 1) : null
}

/** The mark, and gzip of: length of the head, head as JSON, contents of the evidence one after the other. */
export async function encodeWrite({ postmortem, evidence }: DeathWrite): Promise<Buffer> {
  const contents = evidence.flatMap(({ content }) => (content === null ? [] : [content]))
  const head: Head = {
    postmortem,
    evidence: evidence.map(({ content, ...part }) => ({ ...part, bytes: content?.length ?? null })),
  }
  const printed = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(HEAD_LENGTH_BYTES)
  length.writeUInt32LE(printed.length)
  const all = Buffer.concat([length, printed, ...contents])
  const mark = Buffer.alloc(MARK_BYTES, MARKED)
  mark.writeUInt32LE(toMark(postmortem.uid), 1)
  return Buffer.concat([mark, all.length <= SMALL_BYTES ? gzipSync(all, FAST) : await compress(all, FAST)])
}

/** Throws for what `encodeWrite` did not write. */
export async function decodeWrite(bytes: Buffer): Promise<DeathWrite> {
  const packed = readMark(bytes, 0) === null ? bytes : bytes.subarray(MARK_BYTES)
  const all = await decompress(packed, { maxOutputLength: MOST_BYTES })
  const start = HEAD_LENGTH_BYTES + all.readUInt32LE()
  const head = JSON.parse(all.toString('utf8', HEAD_LENGTH_BYTES, start)) as Head
  if (typeof head.postmortem.uid !== 'string') throw new TypeError('not a death')
  let at = start
  const evidence = head.evidence.map(({ bytes: length, ...part }): EvidencePart => {
    if (length === null) return { ...part, content: null }
    const content = all.subarray(at, at + length)
    if (content.length !== length) throw new RangeError('the evidence is cut off')
    at += length
    return { ...part, content }
  })
  return { postmortem: head.postmortem, evidence }
}

type FormerPart = Omit<EvidencePart, 'content'> & { readonly content: string | null }

/** A file of 0.1.0: gzip of JSON, one death each. Throws for anything else. */
export function decodeFormerWrite(bytes: Buffer): DeathWrite {
  const { postmortem, evidence } = JSON.parse(gunzipSync(bytes, { maxOutputLength: MOST_BYTES }).toString('utf8')) as {
    readonly postmortem: DeathWrite['postmortem']
    readonly evidence: readonly FormerPart[]
  }
  if (typeof postmortem.uid !== 'string') throw new TypeError('not a death')
  return { postmortem, evidence: evidence.map(formerPart) }
}

function formerPart(part: FormerPart): EvidencePart {
  return { ...part, content: part.content === null ? null : Buffer.from(part.content, 'base64') }
}
