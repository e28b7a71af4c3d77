import { listExitCodes, listFilters } from '#/cli/api-client/own-pools.ts'
import { serverFlags } from '#/cli/api-client/server-flags.ts'
import { watchFlag } from '#/cli/api-client/watch-answers.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const poolsFlags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml']),
  pool: listFilters.pool,
  watch: watchFlag,
  ...serverFlags,
} as const

export const pools: Leaf<typeof poolsFlags> = {
  kind: 'leaf',
  name: 'pools',
  summary: 'The declared pools: size, pods, queue, mistakes',
  description:
    'Lists every RunnerPool that is declared, from the cluster or from the files of dispatch.pools, with its pods by state and its queue: dispatchable jobs may have a pod now, withheld ones wait for a cap, a back-off, a breaker or a person. Mistakes of a spec are printed with their fields.',
  examples: [
    { line: 'signalbox pools', what: 'Is every pool in order?' },
    { line: 'signalbox pools --pool linux -o wide', what: 'One pool with its conditions' },
  ],
  flags: poolsFlags,
  positionals: [],
  exitCodes: listExitCodes,
  load: () => import('./run.ts'),
}
