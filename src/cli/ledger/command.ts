import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'
import { LEDGER_ACTS, LEDGER_OUTCOMES } from '#/core/ledger/acts.ts'

export const ledgerFlags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml']),
  refused: { kind: 'switch', summary: 'Only what a gate refused', excludes: ['outcome'] },
  since: {
    kind: 'option',
    value: 'TIME',
    default: '7d',
    summary: 'Attempts since this time: 2026-06-06T21:40:00Z, or 2h',
  },
  until: { kind: 'option', value: 'TIME', summary: 'Attempts before this time; default: now' },
  act: { kind: 'option', value: 'ACT', summary: 'Only this act', choices: LEDGER_ACTS },
  actor: { kind: 'option', value: 'ACTOR', summary: 'Only what this actor began: signalbox/LOOP, or a person' },
  outcome: {
    kind: 'option',
    value: 'OUTCOME',
    summary: 'Only this outcome; planned: under way, or left open by a crash',
    choices: LEDGER_OUTCOMES,
  },
  subject: {
    kind: 'option',
    value: 'NAME',
    summary:
      'Only the runner, pod or set of exactly this name. Runners that went with a wedged set: the name of the set',
  },
  limit: { kind: 'option', value: 'NUMBER', default: '500', summary: 'Maximum number of rows' },
  evidence: {
    kind: 'option',
    value: 'DIR',
    completes: 'file',
    summary: 'Reads the ledger that a command kept in this folder (--evidence DIR)',
  },
  ...serverFlags,
} as const

export const ledger: Leaf<typeof ledgerFlags> = {
  kind: 'leaf',
  name: 'ledger',
  summary: 'What was removed or refused, by whom, and on what proof',
  description:
    'Lists every attempt at a destructive act, the latest first: one row each, permitted or refused, with the gate that decided. -o wide prints each as a block, with the proof of each gate in words and its age. Reads from signalbox serve on this machine, from --server, or from a folder with --evidence.',
  examples: [
    {
      line: 'signalbox ledger --subject linux-x7k2p-runner-8qd4m -o wide',
      what: 'Who removed this runner, and on what proof?',
    },
    { line: 'signalbox ledger --refused --since 24h', what: 'What was stopped, and by which gate?' },
    { line: 'signalbox ledger --outcome planned', what: 'What is under way, or was left open by a crash?' },
    { line: 'signalbox ledger --actor signalbox/reap -o json', what: 'For a program' },
  ],
  flags: ledgerFlags,
  positionals: [],
  exitCodes: {
    0: 'The list was printed; it may be empty.',
    2: 'The command line is wrong.',
    3: 'No server answers, or it refuses access; the folder has no ledger that can be read.',
  },
  load: () => import('./run.ts'),
}
