import { listExitCodes, listFilters } from '#/cli/api-client/own-pools.ts'
import { serverFlags } from '#/cli/api-client/server-flags.ts'
import { watchFlag } from '#/cli/api-client/watch-answers.ts'
import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'
import { JOB_STATES } from '#/core/dispatch/job.ts'

export const listFlags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml']),
  ...listFilters,
  state: {
    kind: 'option',
    value: 'STATE',
    summary: 'Only this state; default: all that have not finished',
    choices: [...JOB_STATES, 'parked', 'all'],
  },
  limit: { kind: 'option', value: 'NUMBER', default: '100', summary: 'Maximum number of rows, at most 1000' },
  watch: watchFlag,
  ...serverFlags,
} as const

const list: Leaf<typeof listFlags> = {
  kind: 'leaf',
  name: 'list',
  summary: 'List the jobs of own pools',
  description:
    'Lists the jobs that GitHub reported for own pools, the one that was queued last first. parked: it went back to the queue too often, and waits for signalbox jobs retry.',
  examples: [
    { line: 'signalbox jobs list --state parked', what: 'Which jobs need somebody?' },
    { line: 'signalbox jobs list --repository acme/app --state all', what: 'Those that have finished too' },
    { line: 'signalbox jobs list -o json', what: 'For a program' },
  ],
  flags: listFlags,
  positionals: [],
  exitCodes: listExitCodes,
  load: () => import('./list.ts'),
}

export const showFlags = { output: outputFlag(['table', 'wide', 'json', 'yaml']), ...serverFlags } as const

const ofOne = {
  1: 'The server knows no such job.',
  2: 'The command line is wrong.',
  3: 'No server answers, or it refuses access.',
} as const

const show: Leaf<typeof showFlags> = {
  kind: 'leaf',
  name: 'show',
  summary: 'One job with its whole history',
  description:
    'Prints what is known about a job: its state, what it waits for, and everything that happened to it with who did it: github (it was reported by GitHub), dispatch, signalbox/LOOP (a recovery loop) or a person. Acts have their row in signalbox ledger.',
  examples: [
    { line: 'signalbox jobs show 46102933817', what: 'Why was it given out twice?' },
    { line: 'signalbox jobs show 46102933817 -o json', what: 'For a program, with the proofs of each act' },
  ],
  flags: showFlags,
  positionals: [{ name: 'ID', summary: "GitHub's id of the job, as in its URL", required: true }],
  exitCodes: { 0: 'The job was printed.', ...ofOne },
  load: () => import('./show.ts'),
}

export const retryFlags = { output: outputFlag(['text', 'json', 'yaml']), ...serverFlags } as const

const retry: Leaf<typeof retryFlags> = {
  kind: 'leaf',
  name: 'retry',
  summary: 'Put a parked job back into the queue',
  description:
    'Makes a parked job due again, or one that waits for its back-off, and begins its count anew. What failed should be repaired first. It needs the role operate, and is a row in signalbox ledger.',
  examples: [{ line: 'signalbox jobs retry 46102933817', what: 'After its node was repaired' }],
  flags: retryFlags,
  positionals: [{ name: 'ID', summary: "GitHub's id of the job", required: true }],
  exitCodes: {
    0: 'It is due.',
    ...ofOne,
    1: 'There is no such job, or it is neither parked nor waiting for a back-off.',
  },
  load: () => import('./retry.ts'),
}

export const jobs: Group = {
  kind: 'group',
  name: 'jobs',
  summary: 'Jobs of own pools, their histories, and a retry',
  description: 'The jobs that GitHub reported for own pools, with everything that happened to each: docs/queue.md.',
  commands: [list, show, retry],
}
