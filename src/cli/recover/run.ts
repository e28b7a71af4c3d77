import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Section } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { at, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import type { recoverFlags } from './command.ts'

export async function run(context: CommandContext<typeof recoverFlags>): Promise<ExitCode> {
  const { args, flags, terminal } = context
  if (!flags['dry-run']) {
    throw new CommandFailure(EXIT.usage, 'recover needs --dry-run: the loops act by themselves', [
      'use: signalbox recover --dry-run',
    ])
  }
  await using server = await openServer(context)
  const query = { dryRun: 'true', loops: args.length === 0 ? undefined : args.join(',') }
  const loops = listAt(await askDocument(server, { path: '/v1/recover', query }), 'loops')
  const candidates = loops.flatMap((loop) => listAt(loop, 'candidates'))
  const off = loops.filter((loop) => at(loop, 'disabled') === true).map((loop) => textAt(loop, 'loop') ?? '')
  await printOutput(terminal, flags.output, { data: { loops }, sections: toSections(candidates, off, flags.output) })
  return EXIT.ok
}

function toSections(candidates: readonly unknown[], off: readonly string[], output: string): readonly Section[] {
  const note = off.length === 0 ? [] : [{ text: `Switched off by recovery.disabled: ${off.join(', ')}.` }]
  if (candidates.length === 0) return [{ text: 'Nothing looks stuck.' }, ...note]
  if (output === 'wide') return [{ text: candidates.map(describe).join('\n\n') }, ...note]
  const columns = ['loop', 'subject', 'for', 'decision', 'act', 'decided by']
  return [{ table: { columns, rows: candidates.map(toRow) } }, ...note]
}

const DECISIONS: Readonly<Record<string, string>> = { 'would-remove': 'would act' }

function toRow(candidate: unknown): string[] {
  const word = (key: string): string => printable(textAt(candidate, key) ?? '-')
  const decision = word('decision')
  const act = textAt(candidate, 'act') === null ? 'write down' : word('act')
  const since = formatDuration((numberAt(candidate, 'sinceSeconds') ?? 0) * 1000)
  return [word('loop'), nameSubject(candidate), since, DECISIONS[decision] ?? decision, act, word('decidedBy')]
}

function nameSubject(candidate: unknown): string {
  const [kind = '', name = ''] = ['kind', 'name'].map((key) => printable(textAt(candidate, 'subject', key) ?? ''))
  return `${kind} ${name}`
}

function describe(candidate: unknown): string {
  const [loop = '', , since = '', decision = '', act = ''] = toRow(candidate)
  const proofs = listAt(candidate, 'gates').map((gate) => {
    const holds = at(gate, 'holds')
    const mark = holds === true ? 'holds' : holds === false ? 'refuses' : 'blind'
    return printable(`  ${mark}  ${textAt(gate, 'gate') ?? ''}: ${textAt(gate, 'why') ?? ''}`)
  })
  return [`${nameSubject(candidate)}  ${loop}: ${decision} (${act}), stuck for ${since}`, ...proofs].join('\n')
}
