import { createReadStream } from 'node:fs'
import { addAbortSignal } from 'node:stream'

import { createLineSplitter } from '#/adapters/journal/line-splitter.ts'
import type { RawLine } from '#/adapters/journal/line-splitter.ts'
import { parseJsonLine } from '#/adapters/journal/parse-json-line.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { signaturesTestFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { readRules } from '#/cli/why/read-rules.ts'
import { clueFinder } from '#/core/evidence/find-clues.ts'
import { readLogLine, toStream } from '#/core/evidence/log-line.ts'
import type { LogLine } from '#/core/evidence/log-line.ts'
import { STREAMS } from '#/core/evidence/signature.ts'
import type { Clue, Signature, Stream } from '#/core/evidence/signature.ts'
import { SIGNATURES } from '#/signatures/index.ts'

type FoundClue = Clue & { readonly line: number; readonly at: string | null; readonly text: string }
type Found = {
  /** The first of them. */
  readonly clues: readonly FoundClue[]
  readonly total: number
  readonly lines: number
}

/** The rest of a longer line is skipped. */
const LINE_BYTES = 262_144
const KEPT_CLUES = 10_000
const KEPT_CHARACTERS = 4_096
const SHOWN_CHARACTERS = 100

export async function run(context: CommandContext<typeof signaturesTestFlags>): Promise<ExitCode> {
  const { flags, terminal } = context
  const own = await readRules(flags.rules)
  for (const warning of own.warnings) terminal.notice(redact(warning))
  const { clues, total, lines } = await readClues(context, [...SIGNATURES, ...own.signatures])
  const shown = clues.map(({ line, signature, strength, text }) => {
    return [String(line), signature, strength, text.slice(0, SHOWN_CHARACTERS)]
  })
  const more = total > clues.length ? `; the first ${clues.length} are shown` : ''
  await printOutput(terminal, flags.output, {
    data: { lines, total, clues },
    sections: [
      ...(clues.length === 0 ? [] : [{ table: { columns: ['line', 'clue', 'strength', 'text'], rows: shown } }]),
      { text: `${total} clues in ${lines} lines${more}` },
    ],
  })
  return total === 0 ? EXIT.failed : EXIT.ok
}

async function readClues(
  { args, flags, signal }: CommandContext<typeof signaturesTestFlags>,
  signatures: readonly Signature[],
): Promise<Found> {
  const file = args[0] ?? '-'
  const stream = STREAMS.find((known) => known === flags.stream)
  const collector = collectClues(signatures, stream)
  const splitter = createLineSplitter(LINE_BYTES)
  try {
    const input = addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file))
    for await (const chunk of input as AsyncIterable<Buffer>) splitter.push(chunk).forEach(collector.take)
    const last = splitter.end()
    if (last !== null) collector.take(last)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(EXIT.blind, `cannot read the log: ${why}`, ['use the path of a log, or - for stdin'])
  }
  return collector.found()
}

function collectClues(
  signatures: readonly Signature[],
  stream: Stream | undefined,
): { take: (line: RawLine) => void; found: () => Found } {
  const find = clueFinder(signatures)
  const clues: FoundClue[] = []
  let total = 0
  let lines = 0
  const take = ({ bytes }: RawLine): void => {
    lines += 1
    const line = readAnyLine(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
    for (const clue of find({ text: line.text, stream: stream ?? line.stream })) {
      total += 1
      if (clues.length >= KEPT_CLUES) continue
      const at = line.at === null ? null : new Date(line.at).toISOString()
      const text = redact(line.text).slice(0, KEPT_CHARACTERS)
      clues.push({ line: lines, at, ...clue, groups: redactAll(clue.groups), text })
    }
  }
  return { take, found: () => ({ clues, total, lines }) }
}

/** A line of `journalctl -o json` names its own writer. */
function readAnyLine(raw: string): LogLine {
  const journal = raw.startsWith('{') ? parseJsonLine(raw) : null
  if (journal === null || journal.kind !== 'line' || journal.line.message === null) return readLogLine(raw)
  const { message, at, transport, identifier } = journal.line
  return { text: message, at, stream: transport === 'kernel' ? 'kernel' : toStream(identifier) }
}

function redactAll(groups: Clue['groups']): Clue['groups'] {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, redact(value)]))
}
