import { restoreStore } from '#/adapters/postgres/backup/restore-store.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { restoreFlags } from './command.ts'
import { countAll, showBackup } from './show-backup.ts'
import { storePlace, unlessRefused } from './store-place.ts'

export async function run(context: CommandContext<typeof restoreFlags>): Promise<ExitCode> {
  const { terminal, flags } = context
  const [path = ''] = context.args
  const place = await storePlace(context)
  const progress = terminal.progress('checking the backup')
  const onTable = (step: string, name: string) => progress.say(`${step} ${name}`)
  const outcome = await restoreStore({ ...place, path, onTable }).finally(progress.done)
  const { backup, migrated } = unlessRefused(outcome)
  await printOutput(terminal, flags.output, showBackup(backup, { file: path, migrated }))
  const newer = migrated.length === 0 ? '' : `; its schema was brought up to date by ${migrated.join(', ')}`
  terminal.notice(`${path}: ${countAll(backup.summary)} rows restored${newer}`)
  for (const place of backup.unusable) terminal.notice(`it was saved so, and is restored so: ${place}`)
  return EXIT.ok
}
