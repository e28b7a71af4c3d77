import { listExitCodes, listFilters } from '#/cli/api-client/own-pools.ts'
import { serverFlags } from '#/cli/api-client/server-flags.ts'
import { watchFlag } from '#/cli/api-client/watch-answers.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'
import { SLOT_STATES } from '#/core/dispatch/slot.ts'

export const runnersFlags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml']),
  ...listFilters,
  state: {
    kind: 'option',
    value: 'STATE',
    summary: 'Only this state',
    choices: SLOT_STATES.filter((state) => state !== 'ended' && state !== 'lost'),
  },
  limit: { kind: 'option', value: 'NUMBER', default: '100', summary: 'Maximum number of rows, at most 1000' },
  watch: watchFlag,
  ...serverFlags,
} as const

export const runners: Leaf<typeof runnersFlags> = {
  kind: 'leaf',
  name: 'runners',
  summary: 'The runners of own pools that are alive, and their jobs',
  description:
    'Lists the pods of own pools, the oldest first: warm (no job yet), claimed (a job was chosen for it), minted (GitHub registered its runner), registered (the runner is online) or executing. JOB is the one that GitHub gave it, or in parentheses the one that it is meant for. Those that ended: signalbox deaths.',
  examples: [
    { line: 'signalbox runners --pool linux', what: 'What do the pods of a pool do?' },
    {
      line: 'signalbox runners --state warm -o wide',
      what: 'Which wait for a job, and what keeps others from starting?',
    },
  ],
  flags: runnersFlags,
  positionals: [],
  exitCodes: listExitCodes,
  load: () => import('./run.ts'),
}
