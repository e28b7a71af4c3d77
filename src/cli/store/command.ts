import type { Group, Leaf } from '#/cli/frame/command.ts'
import { databaseUrlFlag, outputFlag } from '#/cli/frame/shared-flags.ts'

export const backupFlags = {
  output: outputFlag(['table', 'json']),
  force: { kind: 'switch', summary: 'Replace an existing file' },
  'database-url': databaseUrlFlag,
} as const

const backup: Leaf<typeof backupFlags> = {
  kind: 'leaf',
  name: 'backup',
  summary: 'Save the whole store in one file, also while serve runs',
  description:
    'Writes every table of the store, as it is at one moment, to a .tar.gz with checksums. serve may run meanwhile; if it does not, the embedded database is started for the time of the backup. The file appears when it is complete. It holds evidence: keep it as safe as the store.',
  examples: [
    { line: 'signalbox store backup signalbox.tar.gz', what: 'The store of the default data folder' },
    { line: 'signalbox store backup signalbox.tar.gz --data /var/lib/runner-store', what: 'Another data folder' },
    {
      line: 'signalbox store backup - > signalbox.tar.gz',
      what: 'To stdout: use it after kubectl exec deploy/signalbox --',
    },
  ],
  flags: backupFlags,
  positionals: [{ name: 'FILE', summary: 'The backup to write: a .tar.gz, or - for stdout', required: true }],
  exitCodes: {
    0: 'The backup was written and is on the disk.',
    1: 'It could not be written; nothing is left of it.',
    2: 'The command line is wrong, or the file exists.',
  },
  load: () => import('./backup.ts'),
}

export const restoreFlags = { output: outputFlag(['table', 'json']), 'database-url': databaseUrlFlag } as const

const restore: Leaf<typeof restoreFlags> = {
  kind: 'leaf',
  name: 'restore',
  summary: 'Load a backup into an empty store',
  description:
    'Checks the whole backup first, then loads it in one transaction and brings its schema up to date. Works with backups of older versions of signalbox and of PostgreSQL. A store that has rows is refused, and so is one that serve is using.',
  examples: [
    { line: 'signalbox store restore signalbox.tar.gz --data new-folder', what: 'Into a folder that is made for it' },
    {
      line: 'DATABASE_URL=postgres://db.internal/signalbox signalbox store restore signalbox.tar.gz',
      what: 'Into an empty database of a PostgreSQL server',
    },
  ],
  flags: restoreFlags,
  positionals: [{ name: 'FILE', summary: 'The backup to load', required: true }],
  exitCodes: {
    0: 'Every row of the backup is in the store.',
    1: 'The backup is damaged or too new, or the store is not empty; no row was loaded.',
    2: 'The command line is wrong.',
  },
  load: () => import('./restore.ts'),
}

export const verifyFlags = { output: outputFlag(['table', 'json']) } as const

const verify: Leaf<typeof verifyFlags> = {
  kind: 'leaf',
  name: 'verify',
  summary: 'Check that a backup is complete and can be restored',
  description:
    'Reads the whole backup: checksums, numbers of rows, every document, every compressed piece of evidence, and whether this signalbox knows its schema. Needs no database.',
  examples: [
    { line: 'signalbox store verify signalbox.tar.gz', what: 'After each backup, and before you rely on one' },
  ],
  flags: verifyFlags,
  positionals: [{ name: 'FILE', summary: 'The backup to check', required: true }],
  exitCodes: {
    0: 'It is complete and undamaged.',
    1: 'It is not; the message says where.',
    2: 'The command line is wrong.',
  },
  load: () => import('./verify.ts'),
}

export const store: Group = {
  kind: 'group',
  name: 'store',
  summary: 'Back up, restore and check the store',
  description:
    'The store is the PostgreSQL database with every death, its evidence and its verdict. Do not copy the data folder of a running signalbox: a backup is the sound copy.',
  commands: [backup, restore, verify],
}
