import type { Group, Leaf } from '#/cli/frame/command.ts'
import { bundleFlag, outputFlag } from '#/cli/frame/shared-flags.ts'

export const fleetCheckFlags = { output: outputFlag(['text', 'json']) } as const

const check: Leaf<typeof fleetCheckFlags> = {
  kind: 'leaf',
  name: 'check',
  summary: 'Check a fleet file; lists every mistake with its line and column',
  description:
    'Reads a fleet file and lists all mistakes at once: unknown keys and values, with suggestions, undeclared pools, duplicate names, owners that own nothing, envelopes that do not add up. It reads only the file, not the cluster.',
  examples: [
    { line: 'signalbox fleet check fleet.yaml', what: 'Before you use it, and in CI' },
    { line: 'signalbox fleet check fleet.yaml -o json', what: 'For a program' },
  ],
  flags: fleetCheckFlags,
  positionals: [{ name: 'FILE', summary: 'The fleet file, YAML or JSON', required: true }],
  exitCodes: { 0: 'The file is valid.', 1: 'The file has mistakes.', 2: 'The file cannot be read.' },
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
    summary: 'The fleet file to write; default: stdout',
  },
  force: { kind: 'switch', summary: 'Replace an existing file' },
  bundle: bundleFlag,
} as const

const init: Leaf<typeof fleetInitFlags> = {
  kind: 'leaf',
  name: 'init',
  summary: 'Draft a fleet file from the cluster, with a comment at each guess',
  description:
    'Reads scale sets, listeners, controllers and nodes, live or from a bundle, and writes a fleet file: namespaces, node pools with a role guessed from their taints, owners by the URL that each set is registered to, lanes with their class, maximum and volumes, pull secrets, and the running versions. Guesses have a comment. The draft describes what is; change it to what you intend. An existing file is replaced only with --force. Nothing is changed in the cluster.',
  examples: [
    { line: 'signalbox fleet init -o fleet.yaml', what: 'From the live cluster' },
    { line: 'signalbox fleet init --bundle bundle.tar.gz', what: 'From a bundle, to stdout' },
  ],
  flags: fleetInitFlags,
  positionals: [],
  exitCodes: {
    0: 'The file was written.',
    1: 'The file could not be written.',
    2: 'The command line is wrong, or the file exists.',
    3: 'The fleet could not be read; nothing was written.',
  },
  load: () => import('./init.ts'),
}

export const fleet: Group = {
  kind: 'group',
  name: 'fleet',
  summary: 'Draft and check the fleet file, print its schema',
  description:
    'The fleet file declares what the cluster cannot show: the roles of pools, the maximum of each lane, owners, copies of secrets, thresholds.',
  commands: [check, schema, init],
}
