import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag, rulesFlag } from '#/cli/frame/shared-flags.ts'
import { STREAMS } from '#/core/evidence/signature.ts'

export const signaturesTestFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  stream: {
    kind: 'option',
    value: 'STREAM',
    summary: 'Where the lines came from; default: as the line says, otherwise every signature is tried',
    choices: STREAMS,
  },
  rules: rulesFlag,
} as const

const test: Leaf<typeof signaturesTestFlags> = {
  kind: 'leaf',
  name: 'test',
  summary: 'Show the clues in a log',
  description:
    'Reads a log (a container log with or without time stamps, a journal as short-iso or JSON, a job log) and shows each line that a signature matches, with its meaning. - reads stdin.',
  examples: [
    { line: 'signalbox signatures test runner.log', what: 'Which clues are in this log?' },
    { line: 'journalctl -k -o short-iso | signalbox signatures test -', what: 'In the kernel log' },
    {
      line: 'signalbox signatures test job.log --stream job-log -o json',
      what: 'Only signatures for job logs, for a program',
    },
    { line: 'signalbox signatures test runner.log --rules rules.yaml', what: 'With your own signatures' },
  ],
  flags: signaturesTestFlags,
  positionals: [{ name: 'FILE', summary: 'The log, or - for stdin', required: true }],
  exitCodes: {
    0: 'There are clues.',
    1: 'There are no clues.',
    2: 'The rules are invalid, or fail their own examples.',
    3: 'The file could not be read.',
  },
  load: () => import('./test.ts'),
}

export const signaturesListFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  rules: rulesFlag,
} as const

const list: Leaf<typeof signaturesListFlags> = {
  kind: 'leaf',
  name: 'list',
  summary: 'List all signatures and their meaning',
  description: 'Lists the signatures in their fixed order: name, meaning, and the streams that are searched for it.',
  examples: [{ line: 'signalbox signatures list', what: 'All signatures' }],
  flags: signaturesListFlags,
  positionals: [],
  exitCodes: { 0: 'Always, unless the rules are invalid.', 2: 'The rules are invalid, or fail their own examples.' },
  load: () => import('./list.ts'),
}

export const signaturesCheckFlags = { output: outputFlag(['table', 'json', 'yaml', 'markdown']) } as const

const check: Leaf<typeof signaturesCheckFlags> = {
  kind: 'leaf',
  name: 'check',
  summary: 'Check a file with your own rules, and run its examples',
  description:
    'Reads a file with your own signatures and causes, as for --rules, runs every example in it, and lists those that fail. All mistakes are listed at once, with line and column. Slow patterns are listed too.',
  examples: [
    { line: 'signalbox signatures check rules.yaml', what: 'Before you use them, and in CI' },
    { line: 'signalbox signatures check rules.yaml -o json', what: 'For a program' },
  ],
  flags: signaturesCheckFlags,
  positionals: [{ name: 'FILE', summary: 'The rules, YAML or JSON', required: true }],
  exitCodes: {
    0: 'The file is valid and every example passes.',
    1: 'An example fails.',
    2: 'The file cannot be read, or is invalid.',
  },
  load: () => import('./check.ts'),
}

const schema: Leaf = {
  kind: 'leaf',
  name: 'schema',
  summary: 'The JSON Schema of a rules file',
  description: 'Prints the JSON Schema (draft 2020-12) of the file for --rules, for editors and for checks.',
  examples: [{ line: 'signalbox signatures schema > rules.schema.json', what: 'For an editor' }],
  flags: {},
  positionals: [],
  exitCodes: { 0: 'Always.' },
  load: () => import('./schema.ts'),
}

export const signatures: Group = {
  kind: 'group',
  name: 'signatures',
  summary: 'Signatures: what lines of logs, journals and events mean',
  description:
    'A signature turns a raw line into a named clue. It says what the line means, not what killed the runner.',
  commands: [test, list, check, schema],
}
