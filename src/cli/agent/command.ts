import type { Leaf } from '#/cli/frame/command.ts'

export const agentFlags = {
  server: { kind: 'option', value: 'URL', summary: 'Where signalbox serve listens; plain http on this machine only' },
  node: { kind: 'option', value: 'NAME', summary: 'The name of this node in the cluster' },
  'token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    default: '/var/run/secrets/signalbox/token',
    summary: 'The token of the service account, for the audience signalbox-agent; read anew for each question',
  },
  'ca-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The authority (PEM) of the server's certificate; those of the system without it",
  },
  journalctl: {
    kind: 'option',
    value: 'PATH',
    completes: 'file',
    default: 'journalctl',
    summary: 'The program that reads the journal',
  },
  'journal-directory': {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'Journal files in place of the journal of this machine',
  },
  'journal-socket': {
    kind: 'option',
    value: 'PATH',
    completes: 'file',
    default: '/run/systemd/journal/stdout',
    summary: "journald's socket for streams, into which the line is written that must be read back",
  },
  kmsg: {
    kind: 'option',
    value: 'PATH',
    completes: 'file',
    default: '/dev/kmsg',
    summary: "The kernel's own lines, where there is no journal",
  },
  'cgroup-root': {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    default: '/sys/fs/cgroup',
    summary: 'Where the cgroups of this machine are',
  },
  'pod-logs': {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    default: '/var/log/pods',
    summary: 'Where the kubelet keeps the log files of pods',
  },
} as const

export const agent: Leaf<typeof agentFlags> = {
  kind: 'leaf',
  name: 'agent',
  summary: 'On each node: tells signalbox serve what only the node knows',
  description:
    'Runs on a node until it is stopped, and asks signalbox serve what it wants to know: the journal around a death, the counters of cgroups, the files of the machine, and the logs of runners, which it holds open so that they outlive their pods. It listens on nothing. The server believes it for the node that its token is bound to, and for no other.',
  examples: [
    {
      line: 'signalbox agent --server https://signalbox.signalbox.svc:8443 --ca-file /etc/signalbox/ca.crt --node "$NODE_NAME"',
      what: 'As the DaemonSet of the chart runs it',
    },
    {
      line: 'signalbox agent --server http://127.0.0.1:8080 --node localhost --token-file agent.token',
      what: 'By hand, for a trial: serve reads the same file by agent.tokenFile',
    },
  ],
  flags: agentFlags,
  positionals: [],
  exitCodes: { 0: 'It was stopped.', 1: 'It could not go on.', 2: 'The command line is wrong.' },
  untilStopped: true,
  load: () => import('./run.ts'),
}
