import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createLineSplitter } from '#/adapters/journal/line-splitter.ts'
import type { RawLine } from '#/adapters/journal/line-splitter.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { AuditLog, AuditLogEvent } from '#/ports/audit-log.ts'

/** The API server can truncate longer events itself; we skip them. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024

/** The file that `kube-apiserver --audit-log-path` writes. */
export function openAuditLogFile(path: string): AuditLog {
  return { lines: (signal) => readLines(path, signal) }
}

async function* readLines(path: string, signal: AbortSignal): AsyncGenerator<AuditLogEvent> {
  const splitter = createLineSplitter(MAX_LINE_BYTES)
  try {
    // Opening a named pipe blocks until there is a writer, and not even Ctrl-C ends that.
    if ((await stat(path)).isFIFO() && !path.startsWith('/dev/')) {
      yield namedPipe(path)
      return
    }
    const chunks = createReadStream(path, { signal, highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>
    for await (const chunk of chunks) for (const line of splitter.push(chunk)) yield* lineEvent(line)
    // A last line without a newline may still be written, or be complete: the parser decides.
    const last = splitter.end()
    if (last !== null) yield* lineEvent(last)
  } catch (error) {
    yield { kind: 'blind', reason: toBlindReason(error, path, signal) }
  }
}

export function namedPipe(path: string): AuditLogEvent {
  return { kind: 'blind', reason: { code: 'unsupported', detail: `${path} is a named pipe, not a file` } }
}

function* lineEvent({ bytes, isOverlong }: RawLine): Generator<AuditLogEvent> {
  if (isOverlong || bytes.length === 0) return
  yield { kind: 'line', text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') }
}

export function toBlindReason(error: unknown, path: string, signal: AbortSignal): BlindReason {
  if (signal.aborted) return { code: 'stopped', detail: `${path}: stopped while reading` }
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ENOENT') return { code: 'unsupported', detail: `${path}: no such file` }
  if (code === 'EACCES' || code === 'EPERM') return { code: 'forbidden', detail: `${path}: permission denied` }
  return { code: 'server-error', detail: `cannot read ${path}: ${String(code ?? error)}` }
}
