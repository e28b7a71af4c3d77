import type { FlagSet } from './flag.ts'

/** Flags of commands that read one live subject. */
export const liveFlags = {
  repo: {
    kind: 'option',
    value: 'OWNER/NAME',
    repeatable: true,
    summary: 'The repository of a job given by its id, or of the jobs of a runner; may be repeated',
  },
  since: { kind: 'option', value: 'TIME', summary: 'Start of journal and audit log: 2026-06-06T21:40:00Z, or 2h' },
  until: { kind: 'option', value: 'TIME', summary: 'End of journal and audit log; default: now' },
  'log-bytes': {
    kind: 'option',
    value: 'BYTES',
    default: '256KiB',
    summary: 'Size of the tail of each container log',
  },
  'audit-log': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The API server's audit log; only lines about the subject are used",
  },
  'last-seen': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The output of kubectl get pod -o json from before the pod was deleted',
  },
  loki: {
    kind: 'option',
    value: 'URL',
    summary: 'A Loki with journals and pod logs, for what cannot be read otherwise; see the settings loki.*',
    sets: { path: 'loki.url' },
  },
  'this-node': {
    kind: 'option',
    value: 'NAME',
    summary: "This machine is that node: also read its journal, counters and the pod's cgroups",
  },
  'journal-directory': {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'Directory of journal files to read instead of the journal of this machine',
  },
  'journal-namespace': {
    kind: 'option',
    value: 'NAME',
    summary: 'The journal namespace (journalctl --namespace)',
  },
} as const satisfies FlagSet
