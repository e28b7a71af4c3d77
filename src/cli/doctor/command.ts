import type { Leaf } from '#/cli/frame/command.ts'
import { databaseUrlFlag, outputFlag } from '#/cli/frame/shared-flags.ts'

export const doctorFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  owner: {
    kind: 'option',
    value: 'OWNER',
    repeatable: true,
    summary: 'An organisation, or owner/repository, whose runners are meant; may be repeated',
    sets: { path: 'github.owners' },
  },
  'database-url': databaseUrlFlag,
} as const

export const doctor: Leaf<typeof doctorFlags> = {
  kind: 'leaf',
  name: 'doctor',
  summary: 'What can be reached, with which rights, and how to mend what cannot',
  description:
    'Looks at everything that signalbox needs and changes none of it: the database, the cluster and the rights in it, ARC, GitHub and the credential, clocks, proxies, the journal. For each thing that is wrong it says what will not work without it and how to mend it.',
  examples: [
    { line: 'signalbox doctor', what: 'Before the first start, and when something does not work' },
    { line: 'signalbox doctor -n arc-runners --owner acme', what: 'For one namespace and one organisation' },
    { line: 'signalbox doctor -o json', what: 'For a program' },
  ],
  flags: doctorFlags,
  positionals: [],
  exitCodes: {
    0: 'All is well; there may be warnings.',
    1: 'Something fails.',
    3: 'Neither the cluster nor GitHub could be reached.',
  },
  load: () => import('./run.ts'),
}
