import type { BlindReason } from '#/core/basics/observed.ts'
import type { JournalLine, JournalReading, JournalWindow } from '#/ports/journal.ts'
import { createDigest } from './digest-lines.ts'
import type { JournalFormat } from './journal-format.ts'
import { createMentions } from './mentions.ts'
import type { ParsedLine } from './parse-json-line.ts'
import type { SkimmedLine } from './skimmer.ts'

/** Holds what is wanted of a journal, counts the rest, and remembers what could not be read. */
export type LineCollector = {
  /** True before the first line. */
  readonly isFresh: () => boolean
  /** A line of whatever kind was read. */
  readonly count: () => void
  readonly take: (parsed: ParsedLine) => void
  /** A line that is built only if it is wanted. */
  readonly takeSkimmed: (line: SkimmedLine, build: () => JournalLine) => void
  readonly lastIsCut: () => void
  readonly othersAreHidden: () => void
  readonly isFull: () => boolean
  readonly reading: () => JournalReading
}

export type CollectorOptions = {
  readonly format: JournalFormat
  readonly window: JournalWindow
  readonly maxLines: number
}

export function createCollector({ format, window, maxLines }: CollectorOptions): LineCollector {
  const mentions = createMentions(window.mentions, format)
  const digest = createDigest()
  const lines: JournalLine[] = []
  const fault = { count: 0, first: '' }
  let total = 0
  let isCut = false
  let isHidden = false

  const gaps = (): readonly BlindReason[] => [
    ...(fault.count === 0 ? [] : [gap('malformed', `${fault.count} of ${total} lines are unreadable: ${fault.first}`)]),
    ...(isCut ? [gap('truncated', 'the last line is cut')] : []),
    ...(isHidden ? [gap('forbidden', 'the journal of the system and of other users was not readable')] : []),
    ...(lines.length >= maxLines ? [gap('truncated', `reading stopped after ${maxLines} lines`)] : []),
    ...digest.gaps(),
  ]

  return {
    isFresh: () => total === 0,
    count: () => void (total += 1),
    take: (parsed) => {
      if (parsed.kind === 'unreadable') {
        fault.count += 1
        fault.first ||= parsed.why
        return
      }
      const { line, resolutionMs } = parsed
      if (!isInside(line.at, resolutionMs, window)) return
      digest.add(line.at, line.bootId)
      if (mentions.areIn(line.message)) lines.push(line)
    },
    takeSkimmed: ({ at, resolutionMs, bootId, bytes, messageStart, messageEnd }, build) => {
      if (!isInside(at, resolutionMs, window)) return
      digest.add(at, bootId)
      const isWanted = messageStart < 0 || mentions.areInBytes(bytes, messageStart, messageEnd)
      const line = isWanted === false ? null : build()
      if (line !== null && (isWanted === true || mentions.areIn(line.message))) lines.push(line)
    },
    lastIsCut: () => void (isCut = true),
    othersAreHidden: () => void (isHidden = true),
    isFull: () => lines.length >= maxLines,
    reading: () => ({ lines: lines.slice(0, maxLines), gaps: gaps(), digest: digest.result() }),
  }
}

function gap(code: BlindReason['code'], detail: string): BlindReason {
  return { code, detail }
}

/** A time that was printed in seconds stands for the whole second. */
function isInside(at: number, resolutionMs: number, window: JournalWindow): boolean {
  return at + resolutionMs > (window.since ?? -Infinity) && at <= (window.until ?? Infinity)
}
