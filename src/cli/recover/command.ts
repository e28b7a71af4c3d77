import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'
import { LOOP_IDS } from '#/core/recovery/recovery.ts'

export const recoverFlags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml']),
  'dry-run': { kind: 'switch', summary: 'Show what the loops would do; required, because they act by themselves' },
  ...serverFlags,
} as const

export const recover: Leaf<typeof recoverFlags> = {
  kind: 'leaf',
  name: 'recover',
  summary: 'What the recovery loops would do now',
  description:
    'Asks signalbox serve for every job, slot and registration of its own pools that looks stuck, what proves it, and what its recovery loops would do about it. Nothing is changed. It asks GitHub about the candidates, so it needs the role operate. The loops run by themselves on the leader; what each did is in signalbox ledger, and recovery.disabled switches one off: docs/recovery.md.',
  examples: [
    { line: 'signalbox recover --dry-run', what: 'Is anything stranded?' },
    { line: 'signalbox recover unregistered-runners --dry-run -o wide', what: 'With every proof in words' },
  ],
  flags: recoverFlags,
  positionals: [{ name: 'LOOP', summary: 'Only these loops', required: false, repeatable: true, choices: LOOP_IDS }],
  exitCodes: {
    0: 'The list was printed; it may be empty.',
    1: 'The server has no pools of its own.',
    2: 'The command line is wrong.',
    3: 'No server answers, or it refuses access.',
  },
  load: () => import('./run.ts'),
}
