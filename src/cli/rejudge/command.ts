import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const rejudgeFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  since: {
    kind: 'option',
    value: 'TIME',
    default: '30d',
    summary: 'Deaths from then on: 2026-06-06T21:40:00Z, or 30d',
  },
  apply: { kind: 'switch', summary: 'Changes the stored verdicts; without it they are only shown' },
  ...serverFlags,
} as const

export const rejudge: Leaf<typeof rejudgeFlags> = {
  kind: 'leaf',
  name: 'rejudge',
  summary: 'Which stored verdicts the present rules would change',
  description:
    'Judges the stored evidence again by the rules of the server that runs, and shows where the cause would be another. Nothing is changed without --apply. Clean ends keep no evidence and are left as they are.',
  examples: [
    { line: 'signalbox rejudge --since 30d', what: 'After an upgrade: what would change?' },
    { line: 'signalbox rejudge --since 30d --apply', what: 'And change it' },
  ],
  flags: rejudgeFlags,
  positionals: [],
  exitCodes: {
    0: 'No verdict would change, or all of them were changed.',
    1: 'Some would change.',
    2: 'The command line is wrong.',
    3: 'No server answers, or it does not let us in.',
  },
  load: () => import('./run.ts'),
}
