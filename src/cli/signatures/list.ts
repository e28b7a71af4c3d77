import type { signaturesListFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { readRules } from '#/cli/why/read-rules.ts'
import { SIGNATURES } from '#/signatures/index.ts'

export async function run({ flags, terminal }: CommandContext<typeof signaturesListFlags>): Promise<ExitCode> {
  const own = await readRules(flags.rules)
  const signatures = [...SIGNATURES, ...own.signatures].map(({ id, says, patterns }, index) => ({
    id,
    says,
    streams: [...new Set(patterns.flatMap((pattern) => pattern.streams))],
    origin: index < SIGNATURES.length ? 'built-in' : 'rules',
  }))
  await printOutput(terminal, flags.output, {
    data: { signatures },
    sections: [
      {
        table: {
          columns: ['clue', 'streams', 'says'],
          rows: signatures.map(({ id, says, streams }) => [id, streams.join(','), says]),
        },
      },
    ],
  })
  return EXIT.ok
}
