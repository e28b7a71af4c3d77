import { copyJournal } from '#/adapters/journal/copy-journal.ts'
import { parseJsonLine } from '#/adapters/journal/parse-json-line.ts'
import type { Blind, BlindReason, Seen } from '#/core/basics/observed.ts'
import type { JournalCopy } from '#/ports/this-host.ts'
import type { AnswerHead } from '#/protocol/answer.ts'
import type { Asked } from '#/protocol/poll.ts'
import { markJournal } from './journal-mark.ts'
import type { MarkOptions } from './journal-mark.ts'

export type Answer = { readonly head: AnswerHead; readonly rest?: Uint8Array }
export type JournalAsked = Extract<Asked, { kind: 'journal' }>

const LINE_FEED = 0x0a

/** A time window of this node's journal. Coverage is claimed only after the journal returned a line just written. */
export async function readJournalWindow(
  options: MarkOptions,
  { since, until, maxBytes }: JournalAsked,
  signal: AbortSignal,
): Promise<Answer> {
  const mark = await markJournal(options, signal)
  const place = { program: options.program, directory: options.directory, namespace: null, maxBytes }
  const copy = await copyJournal(place, { since, ...(until === null ? {} : { until }) }, signal)
  if (copy.kind === 'blind') return { head: copy }
  const chunks: Uint8Array[] = []
  for await (const chunk of copy.value.chunks) chunks.push(chunk)
  const rest = Buffer.concat(chunks)
  return { head: buildHead(copy.value, { mark, last: lastTime(rest), until }), rest }
}

function buildHead(
  copy: JournalCopy,
  observed: { readonly mark: Seen<number> | Blind; readonly last: number | null; readonly until: number | null },
): AnswerHead {
  const { mark, last, until } = observed
  const { to: cutAt, gaps } = copy.ending()
  if (mark.kind === 'seen') {
    const to = Math.min(cutAt ?? Infinity, until ?? Infinity, mark.value)
    return { kind: 'journal', from: Math.min(copy.from, to), to, gaps: [...gaps] }
  }
  if (last === null) return mark
  const all: BlindReason[] = [...gaps, mark.reason]
  return { kind: 'journal', from: copy.from, to: cutAt ?? last, gaps: all }
}

function lastTime(bytes: Buffer): number | null {
  for (let end = bytes.length; end > 0;) {
    const begin = bytes.lastIndexOf(LINE_FEED, end - 2) + 1
    const parsed = parseJsonLine(bytes.toString('utf8', begin, end).trimEnd())
    if (parsed.kind === 'line') return parsed.line.readAt
    end = begin
  }
  return null
}
