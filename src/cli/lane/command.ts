import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

const common = {
  output: outputFlag(['table', 'json', 'yaml']),
  yes: { kind: 'switch', summary: 'Do not ask, for scripts' },
  'dry-run': {
    kind: 'switch',
    summary: 'Show the change and what stands against it; change nothing',
    excludes: ['yes'],
  },
  evidence: {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'Keep the ledger in this folder, where no server runs',
  },
  ...serverFlags,
} as const

export const laneFlags = {
  ...common,
  wait: {
    kind: 'option',
    value: 'DURATION',
    default: '2m',
    summary: 'How long the listener may take to prove the new value',
  },
} as const

export const quiesceFlags = {
  ...common,
  wait: {
    kind: 'option',
    value: 'DURATION',
    summary: 'Wait so long for the last job; without it only for the listener, for 2m',
  },
} as const

const exitCodes = {
  0: 'It is done and proved, there was nothing to do, or you answered no.',
  1: 'It was changed but the listener has not proved it, or it failed.',
  2: 'The command line is wrong.',
  3: 'Blind: something that must be known could not be read, there is no such set, or nothing can keep the ledger.',
  4: 'A gate refused: a rollover is in flight, the update strategy would wedge the set, or somebody else changed the value.',
} as const

const SET = { name: 'SET', summary: 'The scale set: name, or namespace/name', required: true } as const

const quiesce: Leaf<typeof quiesceFlags> = {
  kind: 'leaf',
  name: 'quiesce',
  summary: 'Stop a scale set from taking jobs, without touching the runners that work',
  description:
    'Sets minRunners and maxRunners of the AutoscalingRunnerSet to 0. ARC replaces the listener, which then asks GitHub for no more jobs; it keeps the runners that work and removes the idle ones itself. The old values are kept in the ledger and in an annotation of the set. It refuses where the change would wedge the set. With --wait it waits for the last job.',
  examples: [
    { line: 'signalbox lane quiesce linux-x64', what: 'Show the change, ask, make it, and prove it at the listener' },
    {
      line: 'signalbox lane quiesce arc-runners/linux-x64 --yes --wait 1h',
      what: 'In a script: also wait for the last job',
    },
    { line: 'signalbox lane quiesce linux-x64 --dry-run', what: 'Only show it' },
  ],
  flags: quiesceFlags,
  positionals: [SET],
  exitCodes: { ...exitCodes, 1: 'The listener has not proved it, jobs still run after --wait, or it failed.' },
  load: () => import('./quiesce.ts'),
}

const resume: Leaf<typeof laneFlags> = {
  kind: 'leaf',
  name: 'resume',
  summary: 'Let a quiesced scale set take jobs again',
  description:
    'Restores the minRunners and maxRunners that the set had before lane quiesce. It refuses if somebody else has changed them since.',
  examples: [{ line: 'signalbox lane resume linux-x64', what: 'Back to the old values' }],
  flags: laneFlags,
  positionals: [SET],
  exitCodes,
  load: () => import('./resume.ts'),
}

const cap: Leaf<typeof laneFlags> = {
  kind: 'leaf',
  name: 'cap',
  summary: 'Freeze the maximum of a scale set, or restore it',
  description:
    'Sets maxRunners, and minRunners where it would be above it. The old values are kept in the ledger and in an annotation of the set; restore puts them back, and refuses if somebody else has changed them since. The listener proves the new value by its log.',
  examples: [
    { line: 'signalbox lane cap linux-x64 4', what: 'At most 4 runners' },
    { line: 'signalbox lane cap linux-x64 restore --yes', what: 'Back to the maximum from before, in a script' },
  ],
  flags: laneFlags,
  positionals: [SET, { name: 'MAX', summary: 'The new maximum, or the word restore', required: true }],
  exitCodes,
  load: () => import('./cap.ts'),
}

export const lane: Group = {
  kind: 'group',
  name: 'lane',
  summary: 'Quiesce, resume and cap scale sets',
  description:
    'Changes how many jobs a scale set takes, with the old value kept for the way back. Each attempt is a row of the ledger.',
  commands: [quiesce, resume, cap],
}
