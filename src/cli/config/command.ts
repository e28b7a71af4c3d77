import type { Group, Leaf } from '#/cli/frame/command.ts'
import { databaseUrlFlag, outputFlag } from '#/cli/frame/shared-flags.ts'

export const configPrintFlags = { output: outputFlag(['table', 'json', 'yaml']), 'database-url': databaseUrlFlag }

const print: Leaf<typeof configPrintFlags> = {
  kind: 'leaf',
  name: 'print',
  summary: 'Print every setting, its value, and where it came from',
  description:
    'Prints the effective configuration, with the origin of each value: a flag, an environment variable, a line of the file, or the default. Secrets are masked.',
  examples: [
    { line: 'signalbox config print', what: 'What is set, and where?' },
    { line: 'signalbox config print --config prod.yaml -o json', what: 'The same for another file, for a program' },
  ],
  flags: configPrintFlags,
  positionals: [],
  exitCodes: { 0: 'The configuration is valid.', 2: 'It is not; every mistake is listed with its place.' },
  load: () => import('./print.ts'),
}

const schema: Leaf = {
  kind: 'leaf',
  name: 'schema',
  summary: 'Print the JSON Schema of the configuration file',
  description: 'Prints the JSON Schema (draft 2020-12) of signalbox.yaml, for editors and for checks in a repository.',
  examples: [{ line: 'signalbox config schema > signalbox.schema.json', what: 'For an editor' }],
  flags: {},
  positionals: [],
  exitCodes: { 0: 'Always.' },
  load: () => import('./schema.ts'),
}

export const config: Group = {
  kind: 'group',
  name: 'config',
  summary: 'The configuration: what is set, and what can be set',
  description:
    'Flags override SIGNALBOX_* variables, which override the file (--config, SIGNALBOX_CONFIG, or signalbox.yaml in the working folder), which overrides the defaults.',
  commands: [print, schema],
}
