import { z } from 'zod'
import { LOOP_IDS } from '#/core/recovery/recovery.ts'
import { parseListenAddress } from '#/config/listen-address.ts'
import { notify } from '#/config/notify-schema.ts'
import { gitlab, loki } from '#/config/source-schema.ts'
import {
  bytes,
  databaseAddress,
  duration,
  parsed,
  positive,
  proxyAddress,
  serverAddress,
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
  server: setting(serverAddress.optional(), {
    description:
      'The URL of `serve` for commands such as `deaths`, or `unix:/PATH` of its socket; default: the socket of a `serve` that runs here, else the address of `listen`',
  }),
  socket: setting(text.optional(), {
    description:
      'The Unix socket of the API, for commands on the same machine (`kubectl exec`) by the same user; default: `api.sock` in the data folder',
    path: 'one',
  }),
  openToThisMachine: setting(z.boolean().prefault(false), {
    description:
      'Whether `serve` admits 127.0.0.1 and ::1 without a token. Every user of the machine, and everything that forwards to it, may then read and change',
    fromText: 'boolean',
  }),
  tokenFile: setting(text.optional(), {
    description:
      'A file with one token (24 characters or more) with the role `operate`, besides those of `signalbox token create`. Commands send it too, if `client.token` is not set',
    path: 'one',
  }),
  tokensFile: setting(text.optional(), {
    description:
      'A file with further tokens, one `NAME ROLE SHA256 EXPIRES` per line; `signalbox token create --offline` prints such a line',
    path: 'one',
  }),
})

const client = z.strictObject({
  token: setting(text.optional(), {
    description: 'The token that commands such as `deaths` send to `serve`',
    secret: 'whole',
    variables: ['SIGNALBOX_TOKEN'],
  }),
  tokenFile: setting(text.optional(), {
    description: 'A file that contains that token',
    path: 'one',
    variables: ['SIGNALBOX_TOKEN_FILE'],
  }),
})

const audit = z.strictObject({
  tokenFile: setting(text.optional(), {
    description:
      'A file with the token that the API server’s audit webhook sends to `/v1/audit`. Without it that path refuses everything',
    path: 'one',
  }),
})

const binaries = parsed(
  (value) =>
    value === 'bundled' || value === 'system' ? value : value.startsWith('/') ? (value as `/${string}`) : null,
  'bundled, system, or the absolute path of a folder with postgres and initdb',
)

const postgres = z.strictObject({
  binaries: setting(binaries.prefault('bundled'), {
    description:
      'Which PostgreSQL runs on the data folder: `bundled` (the one that comes with signalbox), `system` (the newest of this machine, 15 or newer; with data, one of its major version), or the folder of `postgres` and `initdb`',
  }),
})

const retention = z.strictObject({
  deliveries: setting(duration.prefault('30d'), { description: 'How long received webhooks are kept' }),
  finishedJobs: setting(duration.prefault('90d'), { description: 'How long finished jobs and their slots are kept' }),
  postmortems: setting(duration.prefault('365d'), { description: 'How long deaths are kept' }),
  ledger: setting(duration.prefault('730d'), { description: 'How long the ledger of destructive acts is kept' }),
  evidence: setting(bytes.prefault('2GiB'), { description: 'How much evidence is kept; the oldest is deleted first' }),
})

const namespaceAndName = text.regex(/^[a-z0-9.-]+\/[a-z0-9.-]+$/, 'must be NAMESPACE/NAME')
const certificateName = text
  .max(253, 'must be a DNS name or an IP address')
  .regex(/^(?:[0-9a-f:.]+|[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)$/i, 'must be a DNS name or an IP address')

const tls = z.strictObject({
  certFile: setting(text.optional(), {
    description: 'The certificate (PEM, with its chain) of `serve`; without it `serve` uses plain HTTP',
    path: 'one',
  }),
  keyFile: setting(text.optional(), { description: 'The private key of the certificate (PEM)', path: 'one' }),
  names: setting(z.array(certificateName).min(1, 'must not be empty').max(100, 'are too many').optional(), {
    description:
      'Instead of `tls.certFile`: DNS names and IP addresses for which `serve` makes its own certificate and CA in `tls/` of the data folder, and renews them',
    fromText: 'list',
  }),
  caFile: setting(text.optional(), {
    description: 'The CA of `tls.certFile` (PEM), for `tls.caConfigMap`',
    path: 'one',
  }),
  caConfigMap: setting(namespaceAndName.optional(), {
    description:
      'A ConfigMap, `namespace/name`, into which `serve` writes the CA as `ca.crt`, for agents to mount. It must exist',
  }),
})

const agent = z.strictObject({
  serviceAccount: setting(namespaceAndName.optional(), {
    description:
      'The service account of the agents, `namespace/name`; default in a cluster: `signalbox-agent` in the namespace of the server',
  }),
  tokenFile: setting(text.optional(), {
    description:
      'A file with a secret that admits an agent of any node, for tests outside a cluster. Leave it unset otherwise',
    path: 'one',
  }),
})

const guard = z.strictObject({
  stamp: setting(z.boolean().prefault(false), {
    description:
      'Whether `serve` stamps runners that work on a job, for the policies of `signalbox guard`. It needs the right to patch pods and EphemeralRunners',
    fromText: 'boolean',
  }),
})

const dispatch = z.strictObject({
  enabled: setting(z.boolean().prefault(false), {
    description:
      'Whether `serve` runs its own pools: it takes webhooks, creates runner pods and gives them jobs. It needs the CRD RunnerPool or `dispatch.pools`, `dispatch.url` and a GitHub credential',
    fromText: 'boolean',
  }),
  url: setting(webAddress.optional(), {
    description: 'The URL at which runner pods reach `serve`, for example `https://signalbox.signalbox.svc:8443`',
  }),
  pools: setting(text.optional(), {
    description:
      'A file, or a folder of files, of RunnerPool objects in YAML, instead of the CRD. Their status is in `signalbox pools`',
    path: 'one',
  }),
  startsPerNode: setting(z.int().min(1).max(1000).prefault(4), {
    description: 'How many pods of all pools may start on one node at the same time',
    fromText: 'integer',
  }),
  mintWithin: setting(duration.prefault('10s'), {
    description: 'How long GitHub may take to register a runner, before its job goes back to the queue',
  }),
})

const recovery = z.strictObject({
  disabled: setting(z.array(z.enum(LOOP_IDS)).prefault([]), {
    description: `Recovery loops that are switched off: ${LOOP_IDS.join(', ')} (docs/recovery.md)`,
    fromText: 'list',
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
  postgres: postgres.prefault({}),
  listen: setting(
    parsed(parseListenAddress, 'HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080').prefault('127.0.0.1:8080'),
    {
      description: 'Where `serve` listens',
    },
  ),
  api: api.prefault({}),
  client: client.prefault({}),
  audit: audit.prefault({}),
  kubernetes: kubernetes.prefault({}),
  github: github.prefault({}),
  gitlab: gitlab.prefault({}),
  loki: loki.prefault({}),
  proxy: proxy.prefault({}),
  caFile: setting(text.optional(), {
    description: 'Additional trusted certificate authorities (PEM)',
    path: 'one',
  }),
  tls: tls.prefault({}),
  agent: agent.prefault({}),
  guard: guard.prefault({}),
  dispatch: dispatch.prefault({}),
  recovery: recovery.prefault({}),
  notify: notify.prefault({}),
  retention: retention.prefault({}),
  log: log.prefault({}),
})

export type Settings = z.output<typeof schema>
