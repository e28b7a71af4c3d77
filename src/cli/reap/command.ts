import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { fleetLiveFlags } from '#/cli/frame/fleet-flags.ts'
import { bundleFlag, outputFlag } from '#/cli/frame/shared-flags.ts'
import { POLICY_IDS } from '#/core/interlock/policy.ts'

export const reapFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  bundle: bundleFlag,
  policy: {
    kind: 'option',
    value: 'NAME',
    repeatable: true,
    choices: POLICY_IDS,
    summary: 'What to remove; may be repeated',
  },
  set: {
    kind: 'option',
    value: 'NAME',
    repeatable: true,
    summary: 'Only this scale set: name, or namespace/name; may be repeated',
  },
  max: { kind: 'option', value: 'COUNT', default: '10', summary: 'At most so many runners in one run' },
  'max-per-set': {
    kind: 'option',
    value: 'COUNT',
    summary: 'At most so many runners of one set; default: as many as --max',
  },
  'min-age': { kind: 'option', value: 'DURATION', default: '10m', summary: 'Only runners that are older than this' },
  apply: {
    kind: 'switch',
    summary: 'Remove what the gates permit: not in this version, and never with --bundle',
    excludes: ['bundle'],
  },
  fleet: fleetLiveFlags.fleet,
  'github-runners-json': fleetLiveFlags['github-runners-json'],
  repo: fleetLiveFlags.repo,
  'log-bytes': fleetLiveFlags['log-bytes'],
  ...serverFlags,
} as const

export const reap: Leaf<typeof reapFlags> = {
  kind: 'leaf',
  name: 'reap',
  summary: 'Show which runners could be removed, and what proves or forbids it',
  description:
    'Finds the runners that the named policies are about and checks every gate of docs/gates for each of them. It is a dry run: nothing is changed. A gate that could not observe something refuses, and a runner with a job on any record is never removed. Two gates are made by the act itself (GitHub accepts the removal, the evidence is stored): they are shown as open. A wedged set is read twice, a minute apart. It reads the live cluster and, with a credential, GitHub, or a bundle.',
  examples: [
    { line: 'signalbox reap --policy offline', what: 'Runners that are offline and have no job' },
    { line: 'signalbox reap --policy wedge --set linux-x64', what: 'What frees a set whose rollover is wedged?' },
    {
      line: 'signalbox reap --policy offline --policy zombie --bundle bundle.tar.gz -o json',
      what: 'From a bundle, for a program',
    },
    { line: 'signalbox reap --policy failed --min-age 1h --max 3', what: 'With a higher age and a lower cap' },
  ],
  flags: reapFlags,
  positionals: [{ name: 'POLICY', summary: 'More policies', required: false, repeatable: true, choices: POLICY_IDS }],
  exitCodes: {
    0: 'Nothing was refused.',
    2: 'The command line is wrong.',
    3: 'Nothing could be judged: a needed source could not be read, or there is no such set.',
    4: 'A gate refused a candidate.',
  },
  load: () => import('./run.ts'),
}
