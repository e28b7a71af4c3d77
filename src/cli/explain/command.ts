import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const explainFlags = { output: outputFlag(['text', 'json', 'yaml', 'markdown']) } as const

export const explain: Leaf<typeof explainFlags> = {
  kind: 'leaf',
  name: 'explain',
  summary: 'What a finding class, an audit, a cause, a gate or a policy means',
  description:
    'Describes a finding class of signalbox audit, an audit, a cause of signalbox why, or a gate or policy of signalbox reap. Without a name it lists them all.',
  examples: [
    { line: 'signalbox explain rollover-wedged', what: 'A class' },
    { line: 'signalbox explain oom-container', what: 'A cause' },
    { line: 'signalbox explain no-worker-process', what: 'A gate' },
    { line: 'signalbox explain', what: 'List all names' },
  ],
  flags: explainFlags,
  positionals: [{ name: 'NAME', summary: 'A class, an audit, a cause, a gate or a policy', required: false }],
  exitCodes: { 0: 'The name is known.', 2: 'No such name.' },
  load: () => import('./run.ts'),
}
