import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { BlindReason } from '#/core/basics/observed.ts'
import { gapsOfRemarks } from './journalctl-remarks.ts'

/** English messages that we can recognise, and times that do not depend on the machine's locale. */
export const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', SYSTEMD_COLORS: '0', SYSTEMD_LOG_TARGET: 'console' }

const MAX_REMARK_BYTES = 16 * 1024

export async function readRemarks(stream: Readable | null): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (stream ?? []) as AsyncIterable<Uint8Array>) {
    if (bytes < MAX_REMARK_BYTES) chunks.push(chunk)
    bytes += chunk.length
  }
  return Buffer.concat(chunks).toString('utf8').slice(0, MAX_REMARK_BYTES)
}

/** A failure without output means that `--grep` found nothing. */
export function endingGaps({ exitCode, signalCode }: ChildProcess, remarks: string): readonly BlindReason[] {
  if (signalCode === null) return gapsOfRemarks(remarks, exitCode !== 0)
  return [{ code: 'server-error', detail: `journalctl was ended by ${signalCode}` }]
}
