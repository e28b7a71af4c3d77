import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

const mode = {
  kind: 'option',
  value: 'MODE',
  choices: ['audit', 'deny'],
  default: 'audit',
  summary: 'audit permits deletions and reports them; deny refuses them, and evictions',
} as const

const dryRun = { kind: 'switch', summary: 'Change nothing, print what would be done' } as const

export const printFlags = { output: outputFlag(['yaml', 'json']), mode } as const
export const applyFlags = { output: outputFlag(['table', 'json', 'yaml']), mode, 'dry-run': dryRun } as const
export const statusFlags = { output: outputFlag(['table', 'json', 'yaml', 'markdown']) } as const
export const removeFlags = { output: outputFlag(['table', 'json', 'yaml']), 'dry-run': dryRun } as const

const exitCodes = {
  0: 'It is done, or nothing had to be done.',
  1: 'Something was not permitted, or somebody else owns an object.',
  2: 'The command line is wrong, or the namespaces are not known.',
  3: 'The cluster could not be reached.',
} as const

const print: Leaf<typeof printFlags> = {
  kind: 'leaf',
  name: 'print',
  summary: 'Print the objects of the guard, for GitOps',
  description:
    'Prints two ValidatingAdmissionPolicies with their bindings and, in the mode deny, a PodDisruptionBudget for each namespace. It calls nothing if the namespaces are named.',
  examples: [
    { line: 'signalbox guard print --mode deny -n arc-runners > guard.yaml', what: 'For a repository' },
    { line: 'signalbox guard print -n arc-runners -o json', what: 'For a program' },
  ],
  flags: printFlags,
  positionals: [],
  exitCodes: { 0: 'They are printed.', 2: exitCodes[2] },
  load: () => import('./print.ts'),
}

const apply: Leaf<typeof applyFlags> = {
  kind: 'leaf',
  name: 'apply',
  summary: 'Apply the guard, and say what changed',
  description:
    'Applies the same objects to the cluster by server-side apply (field manager signalbox-guard), with your own rights, and removes budgets of a former mode. An object that a GitOps tool owns is left to it. The guard works only while signalbox serve stamps the runners: guard.stamp.',
  examples: [
    { line: 'signalbox guard apply --mode audit -n arc-runners', what: 'First: see what would be refused' },
    { line: 'signalbox guard apply --mode deny -n arc-runners', what: 'Then: refuse it' },
    { line: 'signalbox guard apply --mode deny -n arc-runners --dry-run', what: 'What would change?' },
  ],
  flags: applyFlags,
  positionals: [],
  exitCodes,
  load: () => import('./apply.ts'),
}

const status: Leaf<typeof statusFlags> = {
  kind: 'leaf',
  name: 'status',
  summary: 'Show the mode, what is missing, and which runners are guarded',
  description:
    'Compares the objects in the cluster with what this version applies, says whether the API server accepted the types of the policies, and lists the stamped runners with the reason of each.',
  examples: [{ line: 'signalbox guard status -n arc-runners', what: 'Is it in force, and whom does it guard?' }],
  flags: statusFlags,
  positionals: [],
  exitCodes: {
    0: 'Everything is in place.',
    1: 'Something is missing or differs.',
    2: exitCodes[2],
    3: 'The cluster could not be read.',
  },
  load: () => import('./status.ts'),
}

const remove: Leaf<typeof removeFlags> = {
  kind: 'leaf',
  name: 'remove',
  summary: 'Remove the guard, with all stamps',
  description:
    'Removes the bindings, the policies, the budgets and then the stamps of pods and EphemeralRunners. A signalbox serve that still has guard.stamp sets the stamps again: turn it off first.',
  examples: [{ line: 'signalbox guard remove -n arc-runners', what: 'Nothing is refused any more' }],
  flags: removeFlags,
  positionals: [],
  exitCodes,
  load: () => import('./remove.ts'),
}

export const guard: Group = {
  kind: 'group',
  name: 'guard',
  summary: 'Protect working runners from deletion by others',
  description:
    'Makes the API server refuse the deletion and the eviction of runners that work on a job, whoever asks for it. What it can stop and what it cannot: docs/guard.md.',
  commands: [print, apply, status, remove],
}
