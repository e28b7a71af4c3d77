import type { Leaf } from '#/cli/frame/command.ts'

export const completeWords: Leaf = {
  kind: 'leaf',
  name: '__complete',
  summary: 'What may stand at the cursor',
  description:
    'Asked by the completion scripts. Prints a candidate and its summary in each line, then `:file`, `:folder` or `:none` for what the shell shall complete by itself.',
  examples: [{ line: "signalbox __complete -- config ''", what: 'The commands of config' }],
  flags: {},
  positionals: [
    { name: 'WORD', summary: 'The words up to the cursor; the last may be empty', required: true, repeatable: true },
  ],
  exitCodes: { 0: 'Always.' },
  hidden: true,
  load: () => import('./run.ts'),
}
