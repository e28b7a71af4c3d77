import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { GROUPINGS } from '#/core/recorder/group-deaths.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const deathsFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  since: {
    kind: 'option',
    value: 'TIME',
    default: '24h',
    summary: 'Deaths since this time: 2026-06-06T21:40:00Z, or 2h',
  },
  until: { kind: 'option', value: 'TIME', summary: 'Deaths before this time; default: now' },
  cause: { kind: 'option', value: 'CAUSE', summary: 'Only this cause' },
  kind: {
    kind: 'option',
    value: 'KIND',
    summary: 'Only this kind; default: everything except clean ends',
    choices: ['death', 'never-started', 'not-a-death', 'unknown', 'all'],
  },
  node: { kind: 'option', value: 'NODE', summary: 'Only this node' },
  pool: { kind: 'option', value: 'POOL', summary: 'Only this scale set' },
  repository: { kind: 'option', value: 'OWNER/NAME', summary: 'Only jobs of this repository' },
  runner: { kind: 'option', value: 'NAME', summary: 'Only the runner or pod of this name' },
  job: { kind: 'option', value: 'JOB', summary: 'Only this job: its id, its URL, or the URL of its run' },
  by: { kind: 'option', value: 'WHAT', summary: 'Count deaths instead of listing them', choices: GROUPINGS },
  wide: { kind: 'switch', summary: 'Also time, namespace, pool and sentence; default: one line of 120 columns' },
  limit: { kind: 'option', value: 'NUMBER', default: '500', summary: 'Maximum number of rows' },
  watch: {
    kind: 'switch',
    short: 'w',
    summary: 'Keep running and print each death as it is recorded',
    excludes: ['by', 'until'],
  },
  ...serverFlags,
} as const

export const deaths: Leaf<typeof deathsFlags> = {
  kind: 'leaf',
  name: 'deaths',
  summary: 'The runners that died, and why',
  description:
    'Lists the deaths that signalbox serve recorded, the latest first: age, runner, node, cause, confidence and who did it. Clean ends are left out unless you ask for them. signalbox why NAME explains one death, signalbox export writes its evidence. Reads from signalbox serve on this machine, or from --server.',
  examples: [
    { line: 'signalbox deaths --since 2h', what: 'What died recently?' },
    { line: 'signalbox deaths --cause oom-container --since 7d -o json', what: 'For a program' },
    { line: 'signalbox deaths --by node --since 7d', what: 'Where do they die?' },
    { line: 'signalbox deaths --watch', what: 'Each death as it is recorded' },
  ],
  flags: deathsFlags,
  positionals: [],
  exitCodes: {
    0: 'The list was printed; it may be empty.',
    2: 'The command line is wrong.',
    3: 'No server answers, or it refuses access.',
  },
  load: () => import('./run.ts'),
}
