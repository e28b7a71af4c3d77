import type { Lines } from '#/core/bundle-lines.ts'
import type { BlindReason } from '#/core/observed.ts'
import type { JournalLine, JournalWindow } from '#/ports/journal.ts'
import { createLineSplitter } from './line-splitter.ts'
import type { RawLine } from './line-splitter.ts'
import { parseJsonLine } from './parse-json-line.ts'
import type { ParsedLine } from './parse-json-line.ts'
import { createShortIsoParser, isRemark } from './parse-short-iso.ts'

export type JournalFormat = 'json' | 'short-iso'

export type GatherOptions = {
  readonly format: JournalFormat
  readonly window: JournalWindow
  /** Gathering ends when so many lines of the window are there. */
  readonly maxLines: number
}

/** A longer line is cut by journald itself, or is no journal. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Reads journalctl's output, whatever is wrong with it: lines of the window, and what could not be read. */
export async function gatherJournal(
  chunks: AsyncIterable<Uint8Array>,
  options: GatherOptions,
): Promise<Lines<JournalLine>> {
  const splitter = createLineSplitter(MAX_LINE_BYTES)
  const reader = createReader(options)
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) reader.take(line)
    if (reader.isFull()) return reader.result()
  }
  const last = splitter.end()
  if (last !== null) reader.take(last)
  return reader.result()
}

function createReader(options: GatherOptions) {
  const { window, maxLines } = options
  const parser = options.format === 'json' ? jsonParser : createShortIsoParser()
  const lines: JournalLine[] = []
  const fault = { count: 0, first: '' }
  let total = 0
  let isCut = false
  let isHidden = false

  const keep = (parsed: ParsedLine): void => {
    if (parsed.kind === 'unreadable') {
      fault.count += 1
      fault.first ||= parsed.why
    } else if (isInside(parsed, window)) lines.push(parsed.line)
  }

  const gaps = (): readonly BlindReason[] => [
    ...(fault.count === 0 ? [] : [gap('malformed', `${fault.count} of ${total} lines are unreadable: ${fault.first}`)]),
    ...(isCut ? [gap('truncated', 'the last line is cut')] : []),
    ...(isHidden ? [gap('forbidden', 'the journal of the system and of other users was not readable')] : []),
    ...(lines.length >= maxLines ? [gap('truncated', `reading stopped after ${maxLines} lines`)] : []),
  ]

  return {
    take: (raw: RawLine): void => {
      const text = decodeLine(raw.bytes, total === 0)
      total += 1
      if (isPermissionHint(text)) isHidden = true
      else if (raw.isOverlong) keep({ kind: 'unreadable', why: `the line is over ${MAX_LINE_BYTES} bytes` })
      else if (!raw.isEnded && isCutLine(text, options.format)) isCut = true
      else for (const parsed of parser.push(text)) keep(parsed)
    },
    isFull: (): boolean => lines.length >= maxLines,
    result: (): Lines<JournalLine> => {
      for (const parsed of parser.end()) keep(parsed)
      return { lines: lines.slice(0, maxLines), gaps: gaps() }
    },
  }
}

const jsonParser = {
  push: (text: string): readonly ParsedLine[] => (isRemark(text) ? [] : [parseJsonLine(text)]),
  end: (): readonly ParsedLine[] => [],
}

function gap(code: BlindReason['code'], detail: string): BlindReason {
  return { code, detail }
}

/** JSON shows by itself whether it is whole; text that no line feed ends may have been cut anywhere. */
function isCutLine(text: string, format: JournalFormat): boolean {
  return format === 'short-iso' || parseJsonLine(text).kind === 'unreadable'
}

/** A time that was printed in seconds stands for the whole second. */
function isInside(parsed: Extract<ParsedLine, { kind: 'line' }>, window: JournalWindow): boolean {
  const { at } = parsed.line
  return at + parsed.resolutionMs > (window.since ?? -Infinity) && at <= (window.until ?? Infinity)
}

function decodeLine(bytes: Uint8Array, isFirst: boolean): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const end = text.endsWith('\r') ? -1 : undefined
  return text.slice(isFirst && text.startsWith('\uFEFF') ? 1 : 0, end)
}

/** journalctl says this on its error stream, which people redirect into the same file. */
export function isPermissionHint(text: string): boolean {
  return /^(?:Hint: You are currently not seeing messages|\s+Users in groups? '|\s+Pass -q to turn off|No journal files were opened due to insufficient permissions)/.test(
    text,
  )
}
