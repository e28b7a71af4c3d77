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
    summary: 'Remove what the gates permit; asks first. Never with --bundle',
    excludes: ['bundle'],
  },
  yes: { kind: 'switch', summary: 'With --apply: do not ask, for scripts' },
  evidence: {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'With --apply: keep the ledger and the evidence in this folder, where no server runs',
  },
  interval: {
    kind: 'option',
    value: 'DURATION',
    summary: 'With --apply --yes: again after this time, until Ctrl-C; only runners older than 1h',
  },
  wait: {
    kind: 'option',
    value: 'DURATION',
    summary: 'With --apply: wait so long for the new listener that proves that a wedged set is free',
  },
  ...serverFlags,
  fleet: fleetLiveFlags.fleet,
  'github-runners-json': fleetLiveFlags['github-runners-json'],
  repo: fleetLiveFlags.repo,
  'log-bytes': fleetLiveFlags['log-bytes'],
  ...serverFlags,
} as const

export const reap: Leaf<typeof reapFlags> = {
  kind: 'leaf',
  name: 'reap',
  summary: 'Show which runners could be removed, and what proves or forbids it; with --apply remove them',
  description:
    'Finds the runners that the named policies are about and checks every gate of docs/gates for each of them. Without --apply it is a dry run: nothing is changed. A gate that could not observe something refuses, and a runner with a job on any record is never removed. Two gates are made by the act itself (GitHub accepts the removal, the evidence is stored): a dry run shows them as open. With --apply each candidate is read again, its evidence is stored, GitHub is asked to let it go, every gate is checked once more, and exactly the object that was proved is removed; every attempt is a row of the ledger. A wedged set is read twice, a minute apart. It reads the live cluster and, with a credential, GitHub, or a bundle.',
  examples: [
    { line: 'signalbox reap --policy offline', what: 'Runners that are offline and have no job' },
    { line: 'signalbox reap --policy wedge --set linux-x64', what: 'What frees a set whose rollover is wedged?' },
    {
      line: 'signalbox reap --policy offline --policy zombie --bundle bundle.tar.gz -o json',
      what: 'From a bundle, for a program',
    },
    { line: 'signalbox reap --policy failed --min-age 1h --max 3', what: 'With a higher age and a lower cap' },
    { line: 'signalbox reap --policy offline --apply', what: 'Show them, ask, and remove them' },
    {
      line: 'signalbox reap --policy wedge --set linux-x64 --apply --wait 5m',
      what: 'Free a wedged set, and wait for its new listener',
    },
    {
      line: 'signalbox reap --policy zombie --apply --yes --evidence ./removed',
      what: 'In a script, with ledger and evidence in a folder',
    },
  ],
  flags: reapFlags,
  positionals: [
    {
      name: 'POLICY',
      summary: 'More policies; a runner cannot be named, --set narrows to a set',
      required: false,
      repeatable: true,
      choices: POLICY_IDS,
    },
  ],
  exitCodes: {
    0: 'Nothing was refused, or you answered no.',
    1: 'With --apply: something failed, a right is missing, or a freed set has no new listener yet.',
    2: 'The command line is wrong.',
    3: 'Nothing could be judged: a needed source could not be read, or there is no such set. With --apply also: nothing can keep the ledger.',
    4: 'A gate refused a candidate.',
  },
  load: () => import('./run.ts'),
}
