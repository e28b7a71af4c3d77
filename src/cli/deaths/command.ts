import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { GROUPINGS } from '#/core/recorder/group-deaths.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const deathsFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  since: { kind: 'option', value: 'TIME', default: '24h', summary: 'From then on: 2026-06-06T21:40:00Z, or 2h' },
  until: { kind: 'option', value: 'TIME', summary: 'Before then; now without it' },
  cause: { kind: 'option', value: 'CAUSE', summary: 'Of this cause only' },
  kind: {
    kind: 'option',
    value: 'KIND',
    summary: 'Of this kind only; without it everything but clean ends',
    choices: ['death', 'never-started', 'not-a-death', 'unknown', 'all'],
  },
  node: { kind: 'option', value: 'NODE', summary: 'On this node only' },
  pool: { kind: 'option', value: 'POOL', summary: 'Of this scale set only' },
  repository: { kind: 'option', value: 'OWNER/NAME', summary: 'With a job of this repository only' },
  runner: { kind: 'option', value: 'NAME', summary: 'The runner or pod of this name only' },
  job: { kind: 'option', value: 'JOB', summary: 'With this job only: its number, its address, or that of its run' },
  by: { kind: 'option', value: 'WHAT', summary: 'Counts them instead of listing them', choices: GROUPINGS },
  limit: { kind: 'option', value: 'NUMBER', default: '500', summary: 'The most rows of the list' },
  watch: {
    kind: 'switch',
    short: 'w',
    summary: 'Goes on, and tells each as it is recorded',
    excludes: ['by', 'until'],
  },
  ...serverFlags,
} as const

export const deaths: Leaf<typeof deathsFlags> = {
  kind: 'leaf',
  name: 'deaths',
  summary: 'The runners that died, and why',
  description:
    'Lists what signalbox serve recorded, the latest first: when, which runner, on which node, the cause and how certain it is. Clean ends are left out unless they are asked for. signalbox why NAME tells all of one, signalbox export gets its evidence. Asks signalbox serve on this machine, or the one that --server names.',
  examples: [
    { line: 'signalbox deaths --since 2h', what: 'What died lately?' },
    { line: 'signalbox deaths --cause oom-container --since 7d -o json', what: 'For a program' },
    { line: 'signalbox deaths --by node --since 7d', what: 'Where do they die?' },
    { line: 'signalbox deaths --watch', what: 'Each as it happens' },
  ],
  flags: deathsFlags,
  positionals: [],
  exitCodes: {
    0: 'The list, which may be empty.',
    2: 'The command line is wrong.',
    3: 'No server answers, or it does not let us in.',
  },
  load: () => import('./run.ts'),
}
