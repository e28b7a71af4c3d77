import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const releaseFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  'older-than': {
    kind: 'option',
    value: 'DURATION',
    default: '10m',
    summary: 'Only pods that should have been gone for so long',
  },
  yes: { kind: 'switch', summary: 'Do it; without it the pods are only shown' },
  force: {
    kind: 'switch',
    summary: 'Also pods that still run, that others hold too, or that nobody deletes yet',
  },
  evidence: {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'With --yes: keep the ledger in this folder, where no server runs',
  },
  ...serverFlags,
} as const

const release: Leaf<typeof releaseFlags> = {
  kind: 'leaf',
  name: 'release',
  summary: 'Let pods of our own pools go whose evidence nobody will store; a dry run without --yes',
  description:
    'A pod of a RunnerPool keeps the finalizer signalbox.dev/evidence until serve has stored its death. Where serve is gone for good, a deleted pod would stay for ever. This lists such pods with what holds each, and with --yes takes the finalizer off those that have ended: only from the version that was judged, on a fresh read. What was not stored of them is lost. Each act is a row of the ledger, where a server or a folder (--evidence) can keep it; without one it goes on. While serve runs this is not needed: it lets them go itself.',
  examples: [
    { line: 'signalbox finalizers release -A', what: 'What is stuck, and why?' },
    { line: 'signalbox finalizers release -n runners --yes', what: 'Let the pods of one namespace go' },
    {
      line: 'signalbox finalizers release -n runners --yes --force --older-than 0s',
      what: 'Hold no pod any more, as helm uninstall does',
    },
  ],
  flags: releaseFlags,
  positionals: [],
  exitCodes: {
    0: 'It is done, or was shown; the list may be empty.',
    1: 'A finalizer could not be removed.',
    2: 'The command line is wrong.',
    3: 'The pods of a namespace could not be read.',
    4: 'With --yes: the fresh read of a pod forbade it, and it was left alone.',
  },
  load: () => import('./release.ts'),
}

export const finalizers: Group = {
  kind: 'group',
  name: 'finalizers',
  summary: 'The finalizer that keeps pods of our own pools until their evidence is stored',
  description: 'What to do about pods of our own pools that stay although they were deleted: docs/pools.md.',
  commands: [release],
}
