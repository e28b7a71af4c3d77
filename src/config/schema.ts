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
      'The kubeconfig, or several separated by a colon; default: `~/.kube/config`, or in a pod without it the pod’s service account',
    variables: ['KUBECONFIG'],
    path: 'several',
  }),
  context: setting(text.optional(), { description: 'The context of the kubeconfig; default: its current context' }),
  namespaces: setting(z.array(text).min(1, 'must not be empty').optional(), {
    description: 'The namespaces of the runners, or `*` for all; default: the namespace of the context',
    fromText: 'list',
  }),
  podSelector: setting(text.prefault('actions.github.com/scale-set-name'), {
    description: 'The label selector of runner pods',
  }),
  startWithin: setting(duration.prefault('5m'), {
    description: 'How long a runner pod may take to start; after that `serve` records why it does not',
  }),
  followedLogs: setting(z.int().min(0).max(10_000).prefault(500), {
    description:
      'For how many live runners `serve` follows the log, so that its end survives the pod; each is a connection to the API server. Agents keep log files open too, but are lost with their node',
    fromText: 'integer',
  }),
})

const app = z.strictObject({
  id: setting(positive.optional(), { description: 'The id of the GitHub App', fromText: 'integer' }),
  privateKey: setting(text.optional(), { description: 'Its private key (PEM)', secret: 'whole' }),
  privateKeyFile: setting(text.optional(), { description: 'A file that contains the private key', path: 'one' }),
  installationId: setting(positive.optional(), {
    description: 'The installation to use; default: found from the owner',
    fromText: 'integer',
  }),
})

const github = z.strictObject({
  baseUrl: setting(webAddress.prefault('https://api.github.com'), {
    description: 'The REST API; `https://HOST/api/v3` for GitHub Enterprise Server',
  }),
  owners: setting(z.array(text).prefault([]), {
    description: 'The organisations, or `owner/repository`, that have the runners',
    fromText: 'list',
  }),
  token: setting(text.optional(), { description: 'A token, if there is no App', secret: 'whole' }),
  tokenFile: setting(text.optional(), { description: 'A file that contains the token', path: 'one' }),
  app: app.prefault({}),
  webhookSecret: setting(text.optional(), { description: 'The secret that signs webhooks', secret: 'whole' }),
  webhookSecretFile: setting(text.optional(), {
    description: 'A file that contains the webhook secret',
    path: 'one',
  }),
})

const proxy = z.strictObject({
  https: setting(proxyAddress.optional(), {
    description: 'The proxy for https URLs',
    secret: 'url',
    variables: ['HTTPS_PROXY', 'https_proxy'],
  }),
  http: setting(proxyAddress.optional(), {
    description: 'The proxy for http URLs',
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
    description: 'The URL of `serve` for commands such as `deaths`; default: the address of `listen`',
  }),
  tokenFile: setting(text.optional(), {
    description:
      'A file with the token (24 characters or more) that `serve` requires from other machines, and that commands send. Without it the API is open to this machine only',
    path: 'one',
  }),
})

const audit = z.strictObject({
  tokenFile: setting(text.optional(), {
    description:
      'A file with the token that the API server’s audit webhook sends to `/v1/audit`. Without it that path refuses everything',
    path: 'one',
  }),
})

const retention = z.strictObject({
  deliveries: setting(duration.prefault('30d'), { description: 'How long received webhooks are kept' }),
  finishedJobs: setting(duration.prefault('90d'), { description: 'How long finished jobs and their slots are kept' }),
  postmortems: setting(duration.prefault('365d'), { description: 'How long deaths are kept' }),
  ledger: setting(duration.prefault('730d'), { description: 'How long the ledger of destructive acts is kept' }),
  evidence: setting(bytes.prefault('2GiB'), { description: 'How much evidence is kept; the oldest is deleted first' }),
})

const tls = z.strictObject({
  certFile: setting(text.optional(), {
    description: 'The certificate (PEM, with its chain) of `serve`; without it `serve` uses plain HTTP',
    path: 'one',
  }),
  keyFile: setting(text.optional(), { description: 'The private key of the certificate (PEM)', path: 'one' }),
})

const serviceAccount = text.regex(/^[a-z0-9.-]+\/[a-z0-9.-]+$/, 'must be NAMESPACE/NAME')

const agent = z.strictObject({
  serviceAccount: setting(serviceAccount.optional(), {
    description:
      'The service account of the agents, `namespace/name`; default in a cluster: `signalbox-agent` in the namespace of the server',
  }),
  tokenFile: setting(text.optional(), {
    description:
      'A file with a secret that admits an agent of any node, for tests outside a cluster. Leave it unset otherwise',
    path: 'one',
  }),
})

const log = z.strictObject({
  format: setting(z.enum(['text', 'json']).prefault('text'), { description: 'The format of the log on stderr' }),
  level: setting(z.enum(['debug', 'info', 'warn', 'error']).prefault('info'), {
    description: 'The minimum level that is logged',
  }),
})

/** The configuration file. Flags and variables use the same schema. */
export const schema = z.strictObject({
  data: setting(text.prefault('.signalbox'), {
    description: 'The folder of the embedded database and the stored evidence',
    path: 'one',
  }),
  databaseUrl: setting(databaseAddress.optional(), {
    description: 'A PostgreSQL server (15 or newer) instead of the embedded one',
    secret: 'url',
    variables: ['DATABASE_URL'],
  }),
  databaseUrlFile: setting(text.optional(), {
    description: 'A file that contains the URL of the server',
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
    description: 'Additional trusted certificate authorities (PEM)',
    path: 'one',
  }),
  tls: tls.prefault({}),
  agent: agent.prefault({}),
  notify: notify.prefault({}),
  retention: retention.prefault({}),
  log: log.prefault({}),
})

export type Settings = z.output<typeof schema>
