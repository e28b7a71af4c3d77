import type { Leaf } from '#/cli/frame/command.ts'

export const agentFlags = {
  server: { kind: 'option', value: 'URL', summary: 'Where signalbox serve listens; plain http on this machine only' },
  node: { kind: 'option', value: 'NAME', summary: 'The name of this node in the cluster' },
  'token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    default: '/var/run/secrets/signalbox/token',
    summary: 'The service account token for the audience signalbox-agent; read again for each request',
  },
  'ca-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The CA (PEM) of the server's certificate; default: the system's CAs",
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
    summary: 'Directory of journal files to read instead of the journal of this machine',
  },
  'journal-socket': {
    kind: 'option',
    value: 'PATH',
    completes: 'file',
    default: '/run/systemd/journal/stdout',
    summary: "journald's stream socket; the agent writes a test line there and reads it back",
  },
  kmsg: {
    kind: 'option',
    value: 'PATH',
    completes: 'file',
    default: '/dev/kmsg',
    summary: 'The kernel log, used when there is no journal',
  },
  'cgroup-root': {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    default: '/sys/fs/cgroup',
    summary: 'The cgroup mount of this machine',
  },
  'pod-logs': {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    default: '/var/log/pods',
    summary: "The kubelet's pod log directory",
  },
  processes: {
    kind: 'switch',
    summary: "Show the command lines of runner containers; needs the host's PID namespace",
  },
  state: {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'Folder for logs and counters of ended pods until the server has stored them; default: in memory',
  },
} as const

export const agent: Leaf<typeof agentFlags> = {
  kind: 'leaf',
  name: 'agent',
  summary: 'Run on each node: sends its journal, counters and logs to signalbox serve',
  description:
    'Runs on a node until stopped. It polls signalbox serve for requests and answers them: the journal around a death, cgroup counters, files of the machine, and runner logs, which it keeps open so that they outlive their pods. With --processes it also answers which processes a runner container has (gate no-worker-process). It opens no port. The server accepts its answers only for the node that its token is bound to.',
  examples: [
    {
      line: 'signalbox agent --server https://signalbox.signalbox.svc:8443 --ca-file /etc/signalbox/ca.crt --node "$NODE_NAME"',
      what: 'As the DaemonSet of the chart runs it',
    },
    {
      line: 'signalbox agent --server http://127.0.0.1:8080 --node localhost --token-file agent.token',
      what: 'By hand, to try it: serve reads the same file (agent.tokenFile)',
    },
  ],
  flags: agentFlags,
  positionals: [],
  exitCodes: { 0: 'It was stopped.', 1: 'It failed.', 2: 'The command line is wrong.' },
  untilStopped: true,
  load: () => import('./run.ts'),
}
