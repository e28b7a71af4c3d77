import { listExitCodes, listFilters } from '#/cli/api-client/own-pools.ts'
import { serverFlags } from '#/cli/api-client/server-flags.ts'
import { watchFlag } from '#/cli/api-client/watch-answers.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const queueFlags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml']),
  ...listFilters,
  limit: { kind: 'option', value: 'NUMBER', default: '100', summary: 'Waiting jobs of each pool, at most 1000' },
  watch: watchFlag,
  ...serverFlags,
} as const

export const queue: Leaf<typeof queueFlags> = {
  kind: 'leaf',
  name: 'queue',
  summary: 'Which jobs wait for a runner of own pools, and for what',
  description:
    'Lists the waiting jobs of each pool with their place and what each waits for: a pod that starts, the maximum of the pool, a cap, a back-off, an open breaker, or a person. A job without a place may have no pod now. Then open breakers, and webhooks that fitted no pool. -o wide prints whole sentences. See docs/queue.md.',
  examples: [
    { line: 'signalbox queue', what: 'Why does my job wait?' },
    { line: 'signalbox queue --repository acme/app -o wide', what: 'Those of one repository, with whole sentences' },
    { line: 'signalbox queue --pool linux --watch', what: 'How the queue of a pool moves' },
  ],
  flags: queueFlags,
  positionals: [],
  exitCodes: listExitCodes,
  load: () => import('./run.ts'),
}
