import { isUtf8 } from 'node:buffer'

import { sha256 } from '#/adapters/sha256.ts'
import { createTextRedactor, redactJson, redactText } from '#/core/redaction/redaction.ts'
import { LONGEST_LINE } from '#/core/redaction/shapes/long-lines.ts'
import { mark } from '#/core/redaction/shapes/redaction-kinds.ts'
import { createLineSplitter } from '#/adapters/journal/line-splitter.ts'
import type { RawLine } from '#/adapters/journal/line-splitter.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import { readAll } from './read-all.ts'

/** The rest of a longer document on one line is left out: a secret could lie across any other cut. */
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024
/** A line of text is cut by characters later; one has at most four bytes. */
const MAX_LINE_BYTES = 4 * LONGEST_LINE
const LINE_FEED = 0x0a

/** The content of a file as it may be written. Lines without a secret keep every byte. */
export async function* redactFile(file: BundleFile, maxBytes: number): AsyncGenerator<Uint8Array> {
  const chunks = readChunks(file.content)
  if (file.path.endsWith('.json')) {
    const bytes = await readAll(chunks, maxBytes)
    yield redactBytes(bytes, (text) => redactJson(text, sha256))
    return
  }
  yield* file.path.endsWith('.jsonl') ? redactDocuments(chunks) : redactLog(chunks)
}

/** A name may hold a secret too; the mark has no slash, so the path keeps its parts. */
export function redactPath(path: string): string {
  return path
    .split('/')
    .map((part) => redactText(part, sha256))
    .join('/')
}

async function* readChunks(content: BundleFile['content']): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield Buffer.from(content)
  else if (content instanceof Uint8Array) yield content
  else yield* content
}

async function* redactDocuments(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const splitter = createLineSplitter(MAX_DOCUMENT_BYTES)
  const write = (lines: readonly RawLine[]): Uint8Array => writeLines(lines, (text) => redactJson(text, sha256))
  for await (const chunk of chunks) yield write(splitter.push(chunk))
  const last = splitter.end()
  if (last !== null) yield write([last])
}

/** Whole lines are searched together; only a line that lies across two chunks is put together first. */
async function* redactLog(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const splitter = createLineSplitter(MAX_LINE_BYTES)
  const redact = createTextRedactor(sha256)
  for await (const chunk of chunks) {
    const first = splitter.isHolding() ? chunk.indexOf(LINE_FEED) + 1 : 0
    const last = Math.max(first, chunk.lastIndexOf(LINE_FEED) + 1)
    yield writeLines(splitter.push(chunk.subarray(0, first)), redact)
    for (const lines of wholeLines(chunk.subarray(first, last))) yield redactWhole(lines, redact)
    splitter.push(chunk.subarray(last))
  }
  const rest = splitter.end()
  if (rest !== null) yield writeLines([rest], redact)
}

/** Pieces of about this size, each of whole lines. */
const PIECE_BYTES = 1024 * 1024

function* wholeLines(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length;) {
    const last = bytes.lastIndexOf(LINE_FEED, Math.min(bytes.length, start + PIECE_BYTES) - 1)
    const end = (last < start ? bytes.indexOf(LINE_FEED, start) : last) + 1
    yield bytes.subarray(start, end)
    start = end
  }
}

/** What is not UTF-8 must not change with its neighbours, so such lines are taken one by one. */
function redactWhole(lines: Uint8Array, redact: (text: string) => string): Uint8Array {
  if (!isUtf8(lines)) {
    const splitter = createLineSplitter(MAX_LINE_BYTES)
    return writeLines(splitter.push(lines), redact)
  }
  const bytes = lines.subarray(0, -1)
  const redacted = redactBytes(bytes, redact)
  return redacted === bytes ? lines : Buffer.concat([redacted, END_OF_LINE])
}

const END_OF_LINE = Buffer.from([LINE_FEED])

function writeLines(lines: readonly RawLine[], redact: (text: string) => string): Uint8Array {
  return Buffer.concat(
    lines.flatMap((line) => [
      redactBytes(line.bytes, redact),
      ...(line.isOverlong ? [Buffer.from(mark('overlong-line'))] : []),
      ...(line.isEnded ? [END_OF_LINE] : []),
    ]),
  )
}

function redactBytes(bytes: Uint8Array, redact: (text: string) => string): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const redacted = redact(text)
  return redacted === text ? bytes : Buffer.from(redacted)
}
