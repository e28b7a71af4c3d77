import type { Leaf } from '#/cli/frame/command.ts'

export const help: Leaf = {
  kind: 'leaf',
  name: 'help',
  summary: 'Help for signalbox or for one command',
  description: 'Prints the help of a command, or of signalbox itself.',
  examples: [
    { line: 'signalbox help', what: 'All commands' },
    { line: 'signalbox help config print', what: 'One command' },
  ],
  flags: {},
  positionals: [
    {
      name: 'COMMAND',
      summary: 'The command and its subcommand',
      required: false,
      repeatable: true,
      completes: 'command',
    },
  ],
  exitCodes: { 0: 'The command exists.' },
  load: () => import('./run.ts'),
}
