import { backupStore } from '#/adapters/postgres/backup/backup-store.ts'
import type { BackupTarget } from '#/adapters/postgres/backup/write-backup.ts'
import { findOccupant } from '#/cli/collect/target.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { backupFlags } from './command.ts'
import { countAll, showBackup } from './show-backup.ts'
import { storePlace, unlessRefused } from './store-place.ts'

type Context = CommandContext<typeof backupFlags>

export async function run(context: Context): Promise<ExitCode> {
  const { terminal, flags } = context
  const [file = ''] = context.args
  const target = await chooseTarget(context, file)
  const place = await storePlace(context)
  const progress = terminal.progress('opening the store')
  const onTable = ({ name, rows }: { readonly name: string; readonly rows: number }) =>
    progress.say(`saved ${rows} rows of ${name}`)
  const outcome = await backupStore({ ...place, target, onTable }).finally(progress.done)
  const { bytes, manifest, summary } = unlessRefused(outcome)
  if (target.kind === 'file') {
    await printOutput(terminal, flags.output, showBackup({ manifest, summary }, { file, size: bytes }))
  }
  const where = target.kind === 'file' ? file : 'stdout'
  terminal.notice(`${where}: ${countAll(summary)} rows, ${bytes} bytes; check it with signalbox store verify`)
  return EXIT.ok
}

async function chooseTarget({ terminal, flags }: Context, file: string): Promise<BackupTarget> {
  if (file === '-') {
    if (terminal.bytes !== null) return { kind: 'stream', write: terminal.bytes }
    throw new CommandFailure(EXIT.usage, 'refusing to write an archive to a terminal', [
      'redirect it to a file: signalbox store backup - > signalbox.tar.gz',
    ])
  }
  if (!/\.(?:tar\.gz|tgz)$/.test(file)) {
    throw new CommandFailure(EXIT.usage, 'the name of the backup must end in .tar.gz', ['or use - for stdout'])
  }
  const occupant = await findOccupant(file)
  if (occupant !== 'nothing' && (occupant !== 'file' || !flags.force)) {
    throw new CommandFailure(EXIT.usage, `${file} already exists`, ['use another name, or --force to replace a file'])
  }
  return { kind: 'file', path: file }
}
