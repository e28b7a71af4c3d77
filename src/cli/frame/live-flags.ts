import type { FlagSet } from './flag.ts'

/** What a command that reads a live fleet may be told about it, beside the global flags. */
export const liveFlags = {
  repo: {
    kind: 'option',
    value: 'OWNER/NAME',
    repeatable: true,
    summary: 'The repository of a job that is named by its number, or of the jobs of a runner; may be repeated',
  },
  since: { kind: 'option', value: 'TIME', summary: 'Journal and audit log from then on: 2026-06-06T21:40:00Z, or 2h' },
  until: { kind: 'option', value: 'TIME', summary: 'Journal and audit log up to then; now without it' },
  'log-bytes': {
    kind: 'option',
    value: 'BYTES',
    default: '256KiB',
    summary: 'How much of the end of each container log',
  },
  'audit-log': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The API server's audit log; only what concerns the subject is taken from it",
  },
  'last-seen': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The pod as kubectl get pod -o json printed it before it was gone',
  },
  'this-node': {
    kind: 'option',
    value: 'NAME',
    summary: 'This machine is that node: its journal, counters and the cgroups of the pod are taken too',
  },
  'journal-directory': {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'Journal files in place of the journal of this machine',
  },
  'journal-namespace': {
    kind: 'option',
    value: 'NAME',
    summary: 'The namespace of the journal, as journalctl --namespace takes it',
  },
} as const satisfies FlagSet
