import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag, rulesFlag } from '#/cli/frame/shared-flags.ts'
import { STREAMS } from '#/core/evidence/signature.ts'

export const signaturesTestFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  stream: {
    kind: 'option',
    value: 'STREAM',
    summary: 'Where the lines came from; without it every signature may speak where the line does not tell',
    choices: STREAMS,
  },
  rules: rulesFlag,
} as const

const test: Leaf<typeof signaturesTestFlags> = {
  kind: 'leaf',
  name: 'test',
  summary: 'Which clues a log gives',
  description:
    'Reads a log (a container log with or without time stamps, a journal as short-iso or JSON, a job log) and shows each line that a signature knows, with what it says. - reads the standard input.',
  examples: [
    { line: 'signalbox signatures test runner.log', what: 'What does this log say?' },
    { line: 'journalctl -k -o short-iso | signalbox signatures test -', what: 'And the kernel?' },
    {
      line: 'signalbox signatures test job.log --stream job-log -o json',
      what: 'Only what a job log may say, for a program',
    },
    { line: 'signalbox signatures test runner.log --rules rules.yaml', what: 'With signatures of your own' },
  ],
  flags: signaturesTestFlags,
  positionals: [{ name: 'FILE', summary: 'The log, or - for the standard input', required: true }],
  exitCodes: {
    0: 'There are clues.',
    1: 'There are none.',
    2: 'The rules are wrong, or fail their own examples.',
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
  summary: 'Every signature and what it says',
  description:
    'Lists the signatures in the order in which they are kept: a name, what a line of this kind says, and where it may be said.',
  examples: [{ line: 'signalbox signatures list', what: 'What is known?' }],
  flags: signaturesListFlags,
  positionals: [],
  exitCodes: { 0: 'Always, but for rules that are wrong.', 2: 'The rules are wrong, or fail their own examples.' },
  load: () => import('./list.ts'),
}

export const signaturesCheckFlags = { output: outputFlag(['table', 'json', 'yaml', 'markdown']) } as const

const check: Leaf<typeof signaturesCheckFlags> = {
  kind: 'leaf',
  name: 'check',
  summary: 'Whether a file of your own rules is right, and its examples hold',
  description:
    'Reads a file with signatures and causes of your own, as --rules takes it, runs every example in it, and says which do not hold. Each mistake is told with its line and column, all of them at once. Patterns that cost much time are named too.',
  examples: [
    { line: 'signalbox signatures check rules.yaml', what: 'Before you use them, and in CI' },
    { line: 'signalbox signatures check rules.yaml -o json', what: 'For a program' },
  ],
  flags: signaturesCheckFlags,
  positionals: [{ name: 'FILE', summary: 'The rules, YAML or JSON', required: true }],
  exitCodes: {
    0: 'The file is right and every example holds.',
    1: 'An example does not hold.',
    2: 'The file cannot be read, or is wrong.',
  },
  load: () => import('./check.ts'),
}

const schema: Leaf = {
  kind: 'leaf',
  name: 'schema',
  summary: 'The JSON Schema of a file of your own rules',
  description: 'Prints the JSON Schema (draft 2020-12) of the file that --rules takes, for editors and for checks.',
  examples: [{ line: 'signalbox signatures schema > rules.schema.json', what: 'For an editor' }],
  flags: {},
  positionals: [],
  exitCodes: { 0: 'Always.' },
  load: () => import('./schema.ts'),
}

export const signatures: Group = {
  kind: 'group',
  name: 'signatures',
  summary: 'What lines of logs, journals and events mean',
  description:
    'A signature turns a raw line into a named clue. It says what the line means, not what killed the runner.',
  commands: [test, list, check, schema],
}
