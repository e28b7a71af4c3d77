import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const explainFlags = { output: outputFlag(['text', 'json', 'yaml', 'markdown']) } as const

export const explain: Leaf<typeof explainFlags> = {
  kind: 'leaf',
  name: 'explain',
  summary: 'What a class of finding, an audit or a cause means, and what to do about it',
  description:
    'Prints the page of a class that signalbox audit found, of an audit, or of a cause that signalbox why named. Without a name it lists them all.',
  examples: [
    { line: 'signalbox explain rollover-wedged', what: 'A class' },
    { line: 'signalbox explain oom-container', what: 'A cause' },
    { line: 'signalbox explain', what: 'All that can be named' },
  ],
  flags: explainFlags,
  positionals: [{ name: 'NAME', summary: 'A class, an audit or a cause', required: false }],
  exitCodes: { 0: 'It is known.', 2: 'There is no such class, audit or cause.' },
  load: () => import('./run.ts'),
}
