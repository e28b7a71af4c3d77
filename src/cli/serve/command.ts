import type { Leaf } from '#/cli/frame/command.ts'
import { liveFlags } from '#/cli/frame/live-flags.ts'
import { databaseUrlFlag } from '#/cli/frame/shared-flags.ts'

export const serveFlags = {
  listen: {
    kind: 'option',
    value: 'HOST:PORT',
    summary: 'Where to listen; 127.0.0.1:8080 unless the configuration says otherwise',
    sets: { path: 'listen' },
  },
  'database-url': databaseUrlFlag,
  selector: {
    kind: 'option',
    short: 'l',
    value: 'SELECTOR',
    summary: "The label selector that tells runner pods from others; ARC's without it",
    sets: { path: 'kubernetes.podSelector' },
  },
  'audit-log': liveFlags['audit-log'],
  replay: {
    kind: 'switch',
    summary: 'Plays recorded deaths on this machine; no cluster, GitHub or database of the configuration is used',
    excludes: ['audit-log', 'database-url'],
  },
  'replay-seed': {
    kind: 'option',
    value: 'NUMBER',
    summary: 'Plays the same again; another each time without it',
  },
  'replay-pace': {
    kind: 'option',
    value: 'TIME',
    default: '11s',
    summary: 'From one death to the next, about',
  },
  'tls-cert-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The certificate (PEM) to serve HTTPS with; a new one in the file is taken up without a restart',
    sets: { path: 'tls.certFile' },
  },
  'tls-key-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The key of the certificate (PEM)',
    sets: { path: 'tls.keyFile' },
  },
  'agent-token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'A secret that lets in an agent of any node, for trials; without it by the token of its pod only',
    sets: { path: 'agent.tokenFile' },
  },
  'api-token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The token that callers beyond this machine must show; without it they are refused',
    sets: { path: 'api.tokenFile' },
  },
  'audit-token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The token that the audit webhook of the API server shows at /v1/audit',
    sets: { path: 'audit.tokenFile' },
  },
} as const

export const serve: Leaf<typeof serveFlags> = {
  kind: 'leaf',
  name: 'serve',
  summary: 'The server: store, loops and HTTP',
  description:
    'Runs the server until it is stopped. Without a database server it starts its own PostgreSQL in the data folder, and stops it with itself. With a kubeconfig, or in a cluster, it watches runner pods and records every end of one: the evidence before it is gone, and a verdict by the rules of `why`. Deaths are told under /v1/deaths (described by /v1/openapi.json): to this machine, and with --api-token-file to whoever shows the token.',
  examples: [
    { line: 'signalbox serve', what: 'On this machine alone' },
    { line: 'signalbox serve --replay', what: 'On recorded deaths, to see it at work without a cluster' },
    { line: 'signalbox serve -n arc-runners', what: 'Runner pods of one namespace; of all without it' },
    {
      line: 'DATABASE_URL=postgres://signalbox@db/signalbox signalbox serve --listen 0.0.0.0:8080',
      what: 'As one of several replicas',
    },
  ],
  flags: serveFlags,
  positionals: [],
  exitCodes: {
    0: 'It was stopped.',
    1: 'It could not start, or could not go on.',
    2: 'The command line or the configuration is wrong.',
  },
  untilStopped: true,
  load: () => import('./run.ts'),
}
