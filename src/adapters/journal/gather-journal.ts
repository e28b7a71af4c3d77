import { observeLines } from '#/core/evidence/bundle-lines.ts'
import { seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { JournalReading, JournalWindow } from '#/ports/journal.ts'
import { createCollector } from './collect-lines.ts'
import type { LineCollector } from './collect-lines.ts'
import type { JournalFormat } from './journal-format.ts'
import { createLineSplitter } from './line-splitter.ts'
import type { RawLine } from './line-splitter.ts'
import { parseJsonLine } from './parse-json-line.ts'
import type { ParsedLine } from './parse-json-line.ts'
import { createShortIsoParser, isRemark } from './parse-short-iso.ts'
import { createJsonSkimmer } from './skim-json-line.ts'
import { createShortIsoSkimmer } from './skim-short-iso.ts'

export type GatherOptions = {
  readonly format: JournalFormat
  readonly window: JournalWindow
  /** Gathering ends when so many lines of the window are there. */
  readonly maxLines: number
}

/** A longer line is cut by journald itself, or is no journal. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const LINE_FEED = 0x0a

/** Reads journalctl's output, whatever is wrong with it: lines of the window, and what could not be read. */
export async function gatherJournal(
  chunks: AsyncIterable<Uint8Array>,
  options: GatherOptions,
): Promise<JournalReading> {
  const splitter = createLineSplitter(MAX_LINE_BYTES)
  const collector = createCollector(options)
  const reader = createReader(options.format, collector)
  for await (const chunk of chunks) {
    // Only lines that end here are skimmed: a search that runs off the end of its bytes is slow from then on.
    const wholeLines = chunk.lastIndexOf(LINE_FEED) + 1
    for (let start = 0; start < chunk.length;) {
      const skimmed = start < wholeLines && !splitter.isHolding() ? reader.skim(chunk, start) : start
      const end = skimmed > start ? skimmed : endOfLine(chunk, start)
      if (skimmed === start) for (const line of splitter.push(chunk.subarray(start, end))) reader.take(line)
      start = end
    }
    if (collector.isFull()) break
  }
  const last = collector.isFull() ? null : splitter.end()
  if (last !== null) reader.take(last)
  reader.flush()
  return collector.reading()
}

/** A journal with lines has said something, even where none of them mentions what was asked for. */
export function observeJournal(reading: JournalReading): Observed<JournalReading> {
  const observed = observeLines(reading.lines, reading.gaps)
  return observed.kind === 'seen' || reading.digest.lines > 0 ? seen(reading) : observed
}

function endOfLine(chunk: Uint8Array, start: number): number {
  const feed = chunk.indexOf(LINE_FEED, start)
  return feed < 0 ? chunk.length : feed + 1
}

/** Skims what it can and parses the rest, in the order in which it is given. */
function createReader(format: JournalFormat, collector: LineCollector) {
  const parser = format === 'json' ? jsonParser : createShortIsoParser()
  const skimmer = format === 'json' ? createJsonSkimmer() : createShortIsoSkimmer(parser.bootId)

  const flush = (): void => {
    for (const parsed of parser.end()) collector.take(parsed)
  }

  return {
    /** Deals with a line where it stands and answers where the next one begins, or `start` if it could not. */
    skim: (chunk: Uint8Array, start: number): number => {
      const line = skimmer.skim(chunk, start)
      if (line === null || line.next - start > MAX_LINE_BYTES) return start
      flush()
      collector.count()
      collector.takeSkimmed(line, skimmer.build)
      return line.next
    },
    take: (raw: RawLine): void => {
      const text = decodeLine(raw.bytes, collector.isFresh())
      collector.count()
      if (isPermissionHint(text)) collector.othersAreHidden()
      else if (raw.isOverlong) collector.take({ kind: 'unreadable', why: `the line is over ${MAX_LINE_BYTES} bytes` })
      else if (!raw.isEnded && isCutLine(text, format)) collector.lastIsCut()
      else for (const parsed of parser.push(text)) collector.take(parsed)
    },
    flush,
  }
}

const NOTHING: readonly ParsedLine[] = []

const jsonParser = {
  push: (text: string): readonly ParsedLine[] => (isRemark(text) ? NOTHING : [parseJsonLine(text)]),
  end: (): readonly ParsedLine[] => NOTHING,
  bootId: (): null => null,
}

/** JSON shows by itself whether it is whole; text that no line feed ends may have been cut anywhere. */
function isCutLine(text: string, format: JournalFormat): boolean {
  return format === 'short-iso' || parseJsonLine(text).kind === 'unreadable'
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
