import type { Leaf } from '#/cli/frame/command.ts'
import { liveFlags } from '#/cli/frame/live-flags.ts'
import { databaseUrlFlag } from '#/cli/frame/shared-flags.ts'

export const serveFlags = {
  listen: {
    kind: 'option',
    value: 'HOST:PORT',
    summary: 'Where to listen; default: the configuration, or 127.0.0.1:8080',
    sets: { path: 'listen' },
  },
  'database-url': databaseUrlFlag,
  selector: {
    kind: 'option',
    short: 'l',
    value: 'SELECTOR',
    summary: "The label selector of runner pods; default: ARC's",
    sets: { path: 'kubernetes.podSelector' },
  },
  'audit-log': liveFlags['audit-log'],
  replay: {
    kind: 'switch',
    summary: 'Replay recorded deaths on this machine; the configured cluster, GitHub and database are not used',
    excludes: ['audit-log', 'database-url'],
  },
  'replay-seed': {
    kind: 'option',
    value: 'NUMBER',
    summary: 'Replay the same sequence again; default: a new one each time',
  },
  'replay-pace': {
    kind: 'option',
    value: 'TIME',
    default: '11s',
    summary: 'About how long between two deaths',
  },
  'tls-cert-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The certificate (PEM) for HTTPS; reloaded without a restart when the file changes',
    sets: { path: 'tls.certFile' },
  },
  'tls-key-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The private key of the certificate (PEM)',
    sets: { path: 'tls.keyFile' },
  },
  'agent-token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'A secret that admits an agent of any node, for tests; default: agents need the token of their pod',
    sets: { path: 'agent.tokenFile' },
  },
  'api-token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'A token with the role operate, besides those of signalbox token create',
    sets: { path: 'api.tokenFile' },
  },
  'open-to-this-machine': {
    kind: 'switch',
    summary: 'Admit 127.0.0.1 and ::1 without a token: every user of this machine, and all that forwards to it',
    sets: { path: 'api.openToThisMachine', value: 'true' },
  },
  'audit-token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The token that the API server's audit webhook sends to /v1/audit",
    sets: { path: 'audit.tokenFile' },
  },
} as const

export const serve: Leaf<typeof serveFlags> = {
  kind: 'leaf',
  name: 'serve',
  summary: 'Run the server: watch runners, record deaths, serve the API',
  description:
    'Runs the server until stopped. Without a database server it starts an embedded PostgreSQL in the data folder and stops it on exit. With a kubeconfig, or in a cluster, it watches runner pods and records every death: the evidence before it is deleted, and a verdict by the same rules as `why`. The API lists deaths at /v1/deaths (described in /v1/openapi.json) for callers with a token (`signalbox token create`); commands of the same user on this machine use its Unix socket and need none.',
  examples: [
    { line: 'signalbox serve', what: 'On this machine only' },
    { line: 'signalbox serve --replay', what: 'With recorded deaths, to try it without a cluster' },
    { line: 'signalbox serve -n arc-runners', what: 'Runner pods of one namespace; default: all namespaces' },
    {
      line: 'DATABASE_URL=postgres://signalbox@db/signalbox signalbox serve --listen 0.0.0.0:8080',
      what: 'With your PostgreSQL; a second server waits until the first has gone',
    },
  ],
  flags: serveFlags,
  positionals: [],
  exitCodes: {
    0: 'It was stopped.',
    1: 'It could not start, or it failed.',
    2: 'The command line or the configuration is wrong.',
  },
  untilStopped: true,
  load: () => import('./run.ts'),
}
