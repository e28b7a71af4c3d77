import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const rejudgeFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  since: {
    kind: 'option',
    value: 'TIME',
    default: '30d',
    summary: 'Deaths since this time: 2026-06-06T21:40:00Z, or 30d',
  },
  apply: { kind: 'switch', summary: 'Change the stored verdicts; default: only show the changes' },
  ...serverFlags,
} as const

export const rejudge: Leaf<typeof rejudgeFlags> = {
  kind: 'leaf',
  name: 'rejudge',
  summary: 'Show which stored verdicts the current rules would change',
  description:
    'Judges the stored evidence again with the rules of the running server, and shows where the cause differs. Nothing is changed without --apply. Clean ends have no stored evidence and are skipped.',
  examples: [
    { line: 'signalbox rejudge --since 30d', what: 'After an upgrade: what would change?' },
    { line: 'signalbox rejudge --since 30d --apply', what: 'And change it' },
  ],
  flags: rejudgeFlags,
  positionals: [],
  exitCodes: {
    0: 'No verdict would change, or --apply changed them.',
    1: 'Some verdicts would change.',
    2: 'The command line is wrong.',
    3: 'No server answers, or it refuses access.',
  },
  load: () => import('./run.ts'),
}
