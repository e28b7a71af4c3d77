import type { CommandContext } from '#/cli/frame/context.ts'
import type { versionFlags } from './command.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { readCommit, ownPackage } from '#/adapters/files/own-package.ts'

export async function run({ flags, terminal, signal }: CommandContext<typeof versionFlags>): Promise<ExitCode> {
  const { version, folder } = ownPackage()
  const data = {
    version,
    commit: await readCommit(folder, signal),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  }
  await printOutput(terminal, flags.output, {
    data,
    sections: [{ table: { columns: ['what', 'version'], rows: Object.entries(data) } }],
  })
  return EXIT.ok
}
