import type { Leaf } from '#/cli/frame/command.ts'
import { databaseUrlFlag, outputFlag } from '#/cli/frame/shared-flags.ts'

export const doctorFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  owner: {
    kind: 'option',
    value: 'OWNER',
    repeatable: true,
    summary: 'An organisation, or owner/repository, that has the runners; may be repeated',
    sets: { path: 'github.owners' },
  },
  'database-url': databaseUrlFlag,
} as const

export const doctor: Leaf<typeof doctorFlags> = {
  kind: 'leaf',
  name: 'doctor',
  summary: 'Check what signalbox can reach, with which rights, and how to fix the rest',
  description:
    'Checks everything that signalbox needs and changes nothing: the database, the cluster and the rights in it, ARC, GitHub and the credential, clocks, proxies, the journal; with dispatch.enabled also the pools, the rights and permissions that they need, and the webhook with its last deliveries. For each problem it says what will not work and how to fix it.',
  examples: [
    { line: 'signalbox doctor', what: 'Before the first start, and when something does not work' },
    { line: 'signalbox doctor -n arc-runners --owner acme', what: 'For one namespace and one organisation' },
    { line: 'signalbox doctor -o json', what: 'For a program' },
  ],
  flags: doctorFlags,
  positionals: [],
  exitCodes: {
    0: 'No check failed; there may be warnings.',
    1: 'A check failed.',
    3: 'Neither the cluster nor GitHub could be reached.',
  },
  load: () => import('./run.ts'),
}
