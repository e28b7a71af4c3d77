import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { blind } from '#/core/basics/observed.ts'
import type { Blind, BlindReason } from '#/core/basics/observed.ts'
import type { JournalReading, JournalWindow } from '#/ports/journal.ts'
import { gatherJournal } from './gather-journal.ts'
import { endingGaps, ENVIRONMENT, readRemarks } from './journalctl-process.ts'
import { gapsOfRemarks } from './journalctl-remarks.ts'

export type JournalctlProgram = {
  /** The path of journalctl. */
  readonly program: string
  /** More output than this is left unread, and the answer says so. */
  readonly maxBytes: number
  readonly maxLines: number
}

export type JournalctlAnswer = ({ readonly kind: 'read' } & JournalReading) | Blind

/** One run of journalctl. The process is gone when the promise resolves, whatever happened. */
export async function runJournalctl(
  { program, maxBytes, maxLines }: JournalctlProgram,
  question: { readonly args: readonly string[]; readonly window: JournalWindow },
  signal: AbortSignal,
): Promise<JournalctlAnswer> {
  if (signal.aborted) return stopped(signal)
  const child = spawn(program, question.args, { stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT })
  const kill = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  const closing = once(child, 'close').then(
    () => null,
    (error: unknown) => startFault(program, error),
  )
  const remarking = readRemarks(child.stderr)
  const output = limitOutput(child.stdout, maxBytes)
  const reading = await gatherJournal(output.chunks, { format: 'json', window: question.window, maxLines })
  // A process whose output nobody wants any more would wait for ever.
  if (!output.hasEnded()) kill()
  const fault = await closing
  const remarks = await remarking
  signal.removeEventListener('abort', kill)
  if (signal.aborted) return stopped(signal)
  if (fault !== null) return fault
  const gaps = output.hasEnded() ? endingGaps(child, remarks) : gapsOfRemarks(remarks, false)
  return { kind: 'read', ...reading, gaps: [...reading.gaps, ...output.gaps(), ...gaps] }
}

function limitOutput(stream: Readable, maxBytes: number) {
  let bytes = 0
  let hasEnded = false
  async function* read(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > maxBytes) return
      yield chunk
    }
    hasEnded = true
  }
  return {
    chunks: read(),
    hasEnded: (): boolean => hasEnded,
    gaps: (): readonly BlindReason[] =>
      bytes > maxBytes ? [{ code: 'truncated', detail: `journalctl printed more than ${maxBytes} bytes` }] : [],
  }
}

function startFault(program: string, error: unknown): Blind {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ENOENT') return blind('unsupported', `there is no ${program} here`)
  if (code === 'EACCES' || code === 'EPERM') return blind('forbidden', `${program} may not be run`)
  return blind('unsupported', `${program} cannot be run: ${String(code)}`)
}

function stopped(signal: AbortSignal): Blind {
  const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return blind(isTimeout ? 'timeout' : 'stopped', 'reading the journal was stopped')
}
