import { sha256 } from '#/adapters/sha256.ts'
import { createLineRedactor, redactJson, redactText } from '#/core/redaction/redaction.ts'
import { mark } from '#/core/redaction/redaction-rules.ts'
import { createLineSplitter } from '#/adapters/journal/line-splitter.ts'
import type { RawLine } from '#/adapters/journal/line-splitter.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import { readAll } from './read-all.ts'

/** The rest of a longer line is left out: a secret could lie across any other cut. */
const MAX_LINE_BYTES = 8 * 1024 * 1024
const LINE_FEED = Buffer.from('\n')

/** The content of a file as it may be written. Lines without a secret keep every byte. */
export async function* redactFile(file: BundleFile, maxBytes: number): AsyncGenerator<Uint8Array> {
  const chunks = readChunks(file.content)
  if (file.path.endsWith('.json')) {
    const bytes = await readAll(chunks, maxBytes)
    yield redactBytes(bytes, (text) => redactJson(text, sha256))
    return
  }
  const redactLine = file.path.endsWith('.jsonl')
    ? (text: string): string => redactJson(text, sha256)
    : createLineRedactor(sha256)
  yield* redactLines(chunks, redactLine)
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

async function* redactLines(
  chunks: AsyncIterable<Uint8Array>,
  redactLine: (line: string) => string,
): AsyncGenerator<Uint8Array> {
  const splitter = createLineSplitter(MAX_LINE_BYTES)
  const write = (line: RawLine): readonly Uint8Array[] => [
    redactBytes(line.bytes, redactLine),
    ...(line.isOverlong ? [Buffer.from(mark('overlong-line'))] : []),
    ...(line.isEnded ? [LINE_FEED] : []),
  ]
  for await (const chunk of chunks) yield Buffer.concat(splitter.push(chunk).flatMap(write))
  const last = splitter.end()
  if (last !== null) yield Buffer.concat(write(last))
}

function redactBytes(bytes: Uint8Array, redact: (text: string) => string): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const redacted = redact(text)
  return redacted === text ? bytes : Buffer.from(redacted)
}
