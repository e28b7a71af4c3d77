import { verifyBackup } from '#/adapters/postgres/backup/verify-backup.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { verifyFlags } from './command.ts'
import { countAll, showBackup } from './show-backup.ts'
import { unlessRefused } from './store-place.ts'

export async function run(context: CommandContext<typeof verifyFlags>): Promise<ExitCode> {
  const { terminal, flags, signal } = context
  const [path = ''] = context.args
  const progress = terminal.progress('checking the backup')
  const onTable = (name: string) => progress.say(`checking ${name}`)
  const verified = unlessRefused(await verifyBackup({ path, signal, onTable }).finally(progress.done))
  const { compressed, documents, unusable } = verified
  await printOutput(terminal, flags.output, showBackup(verified, { file: path, compressed, documents, unusable }))
  terminal.notice(
    `${path}: complete; ${countAll(verified.summary)} rows, ${compressed} compressed values opened, ${documents} documents parsed`,
  )
  for (const place of unusable) terminal.error(place)
  return unusable.length === 0 ? EXIT.ok : EXIT.failed
}
