import type { configPrintFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Cell } from '#/cli/output/table.ts'
import { describeOrigin } from '#/config/entry.ts'

export async function run({ flags, terminal, config }: CommandContext<typeof configPrintFlags>): Promise<ExitCode> {
  const { values, file } = await config()
  await printOutput(terminal, flags.output, {
    data: { file, settings: values },
    sections: [
      {
        table: {
          columns: ['setting', 'value', 'origin'],
          rows: values.map(({ path, value, origin }) => [path, cell(value), origin && describeOrigin(origin)]),
        },
      },
    ],
  })
  return EXIT.ok
}

function cell(value: unknown): Cell {
  if (value === null) return null
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
