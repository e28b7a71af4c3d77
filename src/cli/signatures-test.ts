import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

import { parseJsonLine } from '#/adapters/journal/parse-json-line.ts'
import { CommandFailure } from '#/cli/command-failure.ts'
import type { signaturesTestFlags } from '#/cli/commands/signatures.ts'
import type { CommandContext } from '#/cli/context.ts'
import { EXIT, type ExitCode } from '#/cli/exit-code.ts'
import { present } from '#/cli/output/present.ts'
import { redact } from '#/cli/redact.ts'
import { clueFinder } from '#/core/find-clues.ts'
import { readLogLine, streamOf } from '#/core/log-line.ts'
import type { LogLine } from '#/core/log-line.ts'
import { STREAMS } from '#/core/signature.ts'
import type { Clue } from '#/core/signature.ts'
import { SIGNATURES } from '#/signatures/index.ts'

type FoundClue = Clue & { readonly line: number; readonly at: string | null; readonly text: string }

const SHOWN_CHARACTERS = 100

export async function run(context: CommandContext<typeof signaturesTestFlags>): Promise<ExitCode> {
  const { flags, terminal } = context
  const { clues, lines } = await readClues(context)
  const shown = clues.map(({ line, signature, strength, text }) => {
    return [String(line), signature, strength, text.slice(0, SHOWN_CHARACTERS)]
  })
  await present(terminal, flags.output, {
    data: { lines, clues },
    sections: [
      ...(clues.length === 0 ? [] : [{ table: { columns: ['line', 'clue', 'strength', 'text'], rows: shown } }]),
      { text: `${clues.length} clues in ${lines} lines` },
    ],
  })
  return clues.length === 0 ? EXIT.failed : EXIT.ok
}

async function readClues({ args, flags, signal }: CommandContext<typeof signaturesTestFlags>) {
  const file = args[0] ?? '-'
  const find = clueFinder(SIGNATURES)
  const stream = STREAMS.find((known) => known === flags.stream)
  const clues: FoundClue[] = []
  let lines = 0
  try {
    const input = file === '-' ? process.stdin : createReadStream(file)
    for await (const raw of createInterface({ input, signal, crlfDelay: Infinity })) {
      lines += 1
      const line = readAnyLine(raw)
      const at = line.at === null ? null : new Date(line.at).toISOString()
      for (const clue of find({ text: line.text, stream: stream ?? line.stream })) {
        clues.push({ line: lines, at, ...clue, captures: redactAll(clue.captures), text: redact(line.text) })
      }
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(EXIT.blind, `the log cannot be read: ${why}`, [
      'give the path of a log, or - for the standard input',
    ])
  }
  return { clues, lines }
}

/** A line of `journalctl -o json` says itself who wrote it. */
function readAnyLine(raw: string): LogLine {
  const journal = raw.startsWith('{') ? parseJsonLine(raw) : null
  if (journal === null || journal.kind !== 'line' || journal.line.message === null) return readLogLine(raw)
  const { message, at, transport, identifier } = journal.line
  return { text: message, at, stream: transport === 'kernel' ? 'kernel' : streamOf(identifier) }
}

function redactAll(captures: Clue['captures']): Clue['captures'] {
  return Object.fromEntries(Object.entries(captures).map(([name, value]) => [name, redact(value)]))
}
