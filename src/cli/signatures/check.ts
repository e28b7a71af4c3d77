import type { Problem } from '#/adapters/documents/problem.ts'
import type { RulesReading } from '#/adapters/rules/read-rules.ts'
import type { signaturesCheckFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { Section, Output } from '#/cli/output/print-output.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { examineRules, problemLine, refusal } from '#/cli/why/read-rules.ts'

export async function run({ args, flags, terminal }: CommandContext<typeof signaturesCheckFlags>): Promise<ExitCode> {
  const file = args[0] ?? ''
  const reading = await examineRules(file)
  if (reading.kind === 'refused' && reading.mistakes.length > 0) throw refusal(file, reading)
  await printOutput(
    terminal,
    flags.output,
    reading.kind === 'read' ? renderValid(file, reading) : renderFailures(file, reading.failures),
  )
  return reading.kind === 'read' ? EXIT.ok : EXIT.failed
}

function renderValid(file: string, { signatures, causes, warnings }: RulesReading & { kind: 'read' }): Output {
  const shownSignatures = signatures.map(({ id, patterns }) => ({
    id,
    patterns: patterns.length,
    examples: patterns.reduce((sum, { examples }) => sum + examples.matches.length + examples.rejects.length, 0),
    literals: [...new Set(patterns.flatMap(({ literals }) => literals))],
  }))
  const examples = shownSignatures.reduce((sum, one) => sum + one.examples, 0)
  const rows = shownSignatures.map((one) => [
    one.id,
    String(one.patterns),
    String(one.examples),
    one.literals.map((literal) => JSON.stringify(literal)).join(' '),
  ])
  return {
    data: {
      signatures: shownSignatures,
      causes: causes.map(({ id, kind }) => ({ id, kind })),
      failures: [],
      warnings: warnings.map(shown),
    },
    sections: [
      ...(rows.length === 0 ? [] : [{ table: { columns: ['clue', 'patterns', 'examples', 'looked for'], rows } }]),
      ...(causes.length === 0
        ? []
        : [
            {
              table: {
                columns: ['cause', 'kind', 'meaning'],
                rows: causes.map(({ id, kind, meaning }) => [id, kind, meaning]),
              },
            },
          ]),
      ...problemSection('Slow patterns', file, warnings),
      { text: `${signatures.length} signatures, ${causes.length} causes; all ${examples} examples pass` },
    ],
  }
}

function renderFailures(file: string, failures: readonly Problem[]): Output {
  return {
    data: { failures: failures.map(shown) },
    sections: [
      ...problemSection('Failed examples', file, failures),
      { text: failures.length === 1 ? '1 failure' : `${failures.length} failures` },
    ],
  }
}

function problemSection(title: string, file: string, problems: readonly Problem[]): readonly Section[] {
  if (problems.length === 0) return []
  return [{ title, text: problems.map((problem) => redact(problemLine(file, problem))).join('\n') }]
}

function shown({ line, column, message, advice }: Problem): Problem {
  return { line, column, message: redact(message), advice: advice === null ? null : redact(advice) }
}
