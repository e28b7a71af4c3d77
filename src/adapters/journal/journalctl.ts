import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { Journal, JournalQuery, JournalReading } from '#/ports/journal.ts'
import { observeJournal } from './gather-journal.ts'
import { journalctlArgs, oldestLineArgs } from './journalctl-args.ts'
import type { JournalPlace } from './journalctl-args.ts'
import { runJournalctl } from './run-journalctl.ts'
import type { JournalctlProgram } from './run-journalctl.ts'

export type JournalctlOptions = JournalPlace & JournalctlProgram

/** The journal of this machine, or of a folder, read by one process per question. */
export function createJournalctl(options: JournalctlOptions): Journal {
  return { read: (query, signal) => readJournal(options, query, signal) }
}

async function readJournal(
  options: JournalctlOptions,
  query: JournalQuery,
  signal: AbortSignal,
): Promise<Observed<JournalReading>> {
  const answer = await runJournalctl(options, { args: journalctlArgs(options, query), window: query }, signal)
  if (answer.kind === 'blind') return answer
  const gapBefore = await gapBeforeOldest(options, query, signal)
  const { lines, gaps, digest } = answer
  return observeJournal({ lines, gaps: [...gaps, ...gapBefore], digest })
}

/** An old line may be gone by rotation, or nobody wrote any: then its absence says nothing. */
async function gapBeforeOldest(
  options: JournalctlOptions,
  query: JournalQuery,
  signal: AbortSignal,
): Promise<readonly BlindReason[]> {
  const probe = await runJournalctl({ ...options, maxLines: 1 }, { args: oldestLineArgs(options), window: {} }, signal)
  if (probe.kind === 'blind') return [probe.reason]
  const [oldest] = probe.lines
  if (oldest === undefined) {
    return probe.gaps.length > 0 ? probe.gaps : [{ code: 'unsupported', detail: 'the journal has no line at all' }]
  }
  if (query.since === undefined || oldest.readAt <= query.since) return []
  const begins = new Date(oldest.readAt).toISOString()
  return [{ code: 'expired', detail: `the journal begins at ${begins}, after the time that was asked for` }]
}
