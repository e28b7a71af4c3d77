import { readAround } from '#/adapters/journal/read-around.ts'
import type { JournalAround } from '#/adapters/journal/read-around.ts'
import type { Blind, BlindReason, Seen } from '#/core/basics/observed.ts'
import type { AnswerHead } from '#/protocol/answer.ts'
import type { Asked } from '#/protocol/poll.ts'
import { markJournal } from './journal-mark.ts'
import type { MarkOptions } from './journal-mark.ts'

export type Answer = { readonly head: AnswerHead; readonly rest?: Uint8Array }
export type JournalAsked = Extract<Asked, { kind: 'journal' }>

/** A time window of this node's journal. Coverage is claimed only after the journal returned a line just written. */
export async function readJournalWindow(
  options: MarkOptions,
  { since, until, maxBytes, about }: JournalAsked,
  signal: AbortSignal,
): Promise<Answer> {
  const { program, directory, clock } = options
  const mark = await markJournal(options, signal)
  const place = { program, directory, namespace: null, maxBytes }
  const read = await readAround(place, { since, until, deaths: about, now: clock.now() }, signal)
  if (read.kind === 'blind') return { head: read }
  return { head: buildHead(read, mark, until), rest: read.bytes }
}

function buildHead(read: JournalAround, mark: Seen<number> | Blind, until: number | null): AnswerHead {
  const { from, newest, around, gaps } = read
  if (mark.kind === 'seen') {
    const to = Math.min(until ?? Infinity, mark.value)
    return { kind: 'journal', from: Math.min(from, to), to, around, gaps: [...gaps] }
  }
  if (newest === null) return mark
  const all: BlindReason[] = [...gaps, mark.reason]
  return { kind: 'journal', from: Math.min(from, newest), to: newest, around, gaps: all }
}
