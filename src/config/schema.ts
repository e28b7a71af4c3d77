import { z } from 'zod'
import { parseListenAddress } from '#/config/listen-address.ts'
import { notify } from '#/config/notify-schema.ts'
import {
  bytes,
  databaseAddress,
  duration,
  parsed,
  positive,
  proxyAddress,
  setting,
  text,
  webAddress,
} from '#/config/values.ts'

const kubernetes = z.strictObject({
  kubeconfig: setting(text.optional(), {
    description:
      'The kubeconfig, or several with a colon between; without it `~/.kube/config`, and in a pod without that the pod’s service account',
    variables: ['KUBECONFIG'],
    path: 'several',
  }),
  context: setting(text.optional(), { description: 'The context of the kubeconfig; its current one without it' }),
  namespaces: setting(z.array(text).min(1, 'is empty').optional(), {
    description: 'The namespaces of the runners, or `*` for all; the namespace of the context without it',
    fromText: 'list',
  }),
  podSelector: setting(text.prefault('actions.github.com/scale-set-name'), {
    description: 'The label selector that tells runner pods from others',
  }),
  startWithin: setting(duration.prefault('5m'), {
    description: 'How long a runner pod may take to start; then `serve` asks what keeps it, and records that',
  }),
  followedLogs: setting(z.int().min(0).max(10_000).prefault(500), {
    description:
      'Of how many runners `serve` reads the log along while they live, so that its end outlives the pod; each is a connection to the API server. Agents hold log files too, but go with their node',
    fromText: 'integer',
  }),
})

const app = z.strictObject({
  id: setting(positive.optional(), { description: 'The id of the GitHub App', fromText: 'integer' }),
  privateKey: setting(text.optional(), { description: 'Its private key, PEM', secret: 'whole' }),
  privateKeyFile: setting(text.optional(), { description: 'A file that holds the private key', path: 'one' }),
  installationId: setting(positive.optional(), {
    description: 'The installation to act as; found from the owner without it',
    fromText: 'integer',
  }),
})

const github = z.strictObject({
  baseUrl: setting(webAddress.prefault('https://api.github.com'), {
    description: 'The REST API; `https://HOST/api/v3` for GitHub Enterprise Server',
  }),
  owners: setting(z.array(text).prefault([]), {
    description: 'The organisations, or `owner/repository`, whose runners are meant',
    fromText: 'list',
  }),
  token: setting(text.optional(), { description: 'A token, where there is no App', secret: 'whole' }),
  tokenFile: setting(text.optional(), { description: 'A file that holds the token', path: 'one' }),
  app: app.prefault({}),
  webhookSecret: setting(text.optional(), { description: 'The secret that signs webhooks', secret: 'whole' }),
  webhookSecretFile: setting(text.optional(), {
    description: 'A file that holds the webhook secret',
    path: 'one',
  }),
})

const proxy = z.strictObject({
  https: setting(proxyAddress.optional(), {
    description: 'The proxy for https addresses',
    secret: 'url',
    variables: ['HTTPS_PROXY', 'https_proxy'],
  }),
  http: setting(proxyAddress.optional(), {
    description: 'The proxy for http addresses',
    secret: 'url',
    variables: ['HTTP_PROXY', 'http_proxy'],
  }),
  exceptions: setting(z.array(text).prefault([]), {
    description: 'Hosts, suffixes, addresses and ranges that are reached without a proxy',
    variables: ['NO_PROXY', 'no_proxy'],
    fromText: 'list',
  }),
})

const api = z.strictObject({
  server: setting(webAddress.optional(), {
    description: 'Where commands such as `deaths` find `serve`; the address of `listen` without it',
  }),
  tokenFile: setting(text.optional(), {
    description:
      'A file with the token (24 characters or more) that `serve` wants from callers beyond this machine, and that commands show. Without it `serve` tells deaths to this machine only',
    path: 'one',
  }),
})

const audit = z.strictObject({
  tokenFile: setting(text.optional(), {
    description:
      'A file with the token that the audit webhook of the API server shows at `/v1/audit`. Without it nobody may send there',
    path: 'one',
  }),
})

const retention = z.strictObject({
  deliveries: setting(duration.prefault('30d'), { description: 'How long webhooks are kept as they came' }),
  finishedJobs: setting(duration.prefault('90d'), { description: 'How long finished jobs and their slots are kept' }),
  postmortems: setting(duration.prefault('365d'), { description: 'How long post-mortems are kept' }),
  ledger: setting(duration.prefault('730d'), { description: 'How long the ledger of destructive acts is kept' }),
  evidence: setting(bytes.prefault('2GiB'), { description: 'How much evidence is kept; the oldest goes first' }),
})

const tls = z.strictObject({
  certFile: setting(text.optional(), {
    description:
      'The certificate (PEM, with its chain) by which `serve` proves itself; without it `serve` speaks plain HTTP',
    path: 'one',
  }),
  keyFile: setting(text.optional(), { description: 'The key of the certificate (PEM)', path: 'one' }),
})

const serviceAccount = text.regex(/^[a-z0-9.-]+\/[a-z0-9.-]+$/, 'is not NAMESPACE/NAME')

const agent = z.strictObject({
  serviceAccount: setting(serviceAccount.optional(), {
    description:
      'The service account of the agents, `namespace/name`; in a cluster `signalbox-agent` in the namespace of the server without it',
  }),
  tokenFile: setting(text.optional(), {
    description:
      'A file with a secret that opens to an agent of any node: for trials outside a cluster. Off without it, and best left so',
    path: 'one',
  }),
})

const log = z.strictObject({
  format: setting(z.enum(['text', 'json']).prefault('text'), { description: 'The form of the log on stderr' }),
  level: setting(z.enum(['debug', 'info', 'warn', 'error']).prefault('info'), {
    description: 'The least that is logged',
  }),
})

/** The configuration file. Flags and variables are read into the same shape. */
export const schema = z.strictObject({
  data: setting(text.prefault('.signalbox'), {
    description: 'The folder of the embedded database and of what is kept',
    path: 'one',
  }),
  databaseUrl: setting(databaseAddress.optional(), {
    description: 'A PostgreSQL server (15 or newer) in place of the embedded one',
    secret: 'url',
    variables: ['DATABASE_URL'],
  }),
  databaseUrlFile: setting(text.optional(), {
    description: 'A file that holds the address of the server',
    path: 'one',
  }),
  listen: setting(
    parsed(parseListenAddress, 'HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080').prefault('127.0.0.1:8080'),
    {
      description: 'Where `serve` listens',
    },
  ),
  api: api.prefault({}),
  audit: audit.prefault({}),
  kubernetes: kubernetes.prefault({}),
  github: github.prefault({}),
  proxy: proxy.prefault({}),
  caFile: setting(text.optional(), {
    description: 'Certificate authorities (PEM) that are trusted beside the system’s',
    path: 'one',
  }),
  tls: tls.prefault({}),
  agent: agent.prefault({}),
  notify: notify.prefault({}),
  retention: retention.prefault({}),
  log: log.prefault({}),
})

export type Settings = z.output<typeof schema>
