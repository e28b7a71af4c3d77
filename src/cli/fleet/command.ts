import type { Group, Leaf } from '#/cli/frame/command.ts'
import { bundleFlag, outputFlag } from '#/cli/frame/shared-flags.ts'

export const fleetCheckFlags = { output: outputFlag(['text', 'json']) } as const

const check: Leaf<typeof fleetCheckFlags> = {
  kind: 'leaf',
  name: 'check',
  summary: 'Whether a fleet file is right, every mistake with its line and column',
  description:
    'Reads a fleet file and tells every mistake in it at once: keys and values that are not known, with what was perhaps meant, pools that nobody declared, names that are there twice, owners of nothing, envelopes that do not add up. It looks at the file alone, not at a cluster.',
  examples: [
    { line: 'signalbox fleet check fleet.yaml', what: 'Before you use it, and in CI' },
    { line: 'signalbox fleet check fleet.yaml -o json', what: 'For a program' },
  ],
  flags: fleetCheckFlags,
  positionals: [{ name: 'FILE', summary: 'The fleet file, YAML or JSON', required: true }],
  exitCodes: { 0: 'The file is right.', 1: 'There are mistakes in it.', 2: 'The file cannot be read.' },
  load: () => import('./check.ts'),
}

const schema: Leaf = {
  kind: 'leaf',
  name: 'schema',
  summary: 'The JSON Schema of a fleet file',
  description: 'Prints the JSON Schema (draft 2020-12) of the fleet file, for editors and for checks.',
  examples: [{ line: 'signalbox fleet schema > fleet.schema.json', what: 'For an editor' }],
  flags: {},
  positionals: [],
  exitCodes: { 0: 'Always.' },
  load: () => import('./schema.ts'),
}

export const fleetInitFlags = {
  output: {
    kind: 'option',
    short: 'o',
    value: 'FILE',
    completes: 'file',
    summary: 'Where the fleet file goes; without it to the standard output',
  },
  force: { kind: 'switch', summary: 'Replace a file that is already there' },
  bundle: bundleFlag,
} as const

const init: Leaf<typeof fleetInitFlags> = {
  kind: 'leaf',
  name: 'init',
  summary: 'Draft a fleet file from what the cluster shows, with a comment at each guess',
  description:
    'Reads scale sets, listeners, controllers and nodes, live or from a bundle, and writes a fleet file: namespaces, node pools with a role guessed from their taints, owners by the address that each set is registered to, lanes with their class, maximum and volumes, pull secrets, and the versions that run. What was guessed has a comment. It says what is; correct it to what is meant. A file that is there is not replaced without --force. Nothing is changed in the cluster.',
  examples: [
    { line: 'signalbox fleet init -o fleet.yaml', what: 'From the live cluster' },
    { line: 'signalbox fleet init --bundle bundle.tar.gz', what: 'From a bundle, to look at it' },
  ],
  flags: fleetInitFlags,
  positionals: [],
  exitCodes: {
    0: 'The file is written.',
    1: 'The file could not be written.',
    2: 'The command line is wrong, or a file is already there.',
    3: 'Nothing of the fleet could be read; nothing is written.',
  },
  load: () => import('./init.ts'),
}

export const fleet: Group = {
  kind: 'group',
  name: 'fleet',
  summary: 'The fleet file: draft it, check it, and its schema',
  description:
    'The fleet file says what is meant and stands nowhere in a cluster: pools and their roles, lanes and their maximum, owners, copies of secrets, thresholds.',
  commands: [check, schema, init],
}
