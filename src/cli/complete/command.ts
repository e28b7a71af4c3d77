import type { Leaf } from '#/cli/frame/command.ts'

export const completeWords: Leaf = {
  kind: 'leaf',
  name: '__complete',
  summary: 'Candidates for the word at the cursor',
  description:
    'Used by the completion scripts. Prints one candidate and its summary per line, then `:file`, `:folder` or `:none` for what the shell itself should complete.',
  examples: [{ line: "signalbox __complete -- config ''", what: 'The commands of config' }],
  flags: {},
  positionals: [
    { name: 'WORD', summary: 'The words up to the cursor; the last may be empty', required: true, repeatable: true },
  ],
  exitCodes: { 0: 'Always.' },
  hidden: true,
  load: () => import('./run.ts'),
}
