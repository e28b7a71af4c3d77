import { z } from 'zod'
import { BYTES_FORM, parseBytes } from '#/core/bytes.ts'
import { DURATION_FORM, parseDuration } from '#/core/duration.ts'
import { parseListenAddress } from '#/config/listen-address.ts'

/** What the schema itself cannot say about a setting. */
export type About = {
  readonly description: string
  /** Never shown: as a whole, or the passwords in an address. */
  readonly secret?: 'whole' | 'url'
  /** Variables without our prefix that are honoured too, the first that is set. */
  readonly variables?: readonly string[]
  /** How a text from the environment or a flag is read; as it is without it. */
  readonly fromText?: 'list' | 'integer'
  /** A path, or several as PATH has them. In a file, a relative one counts from the folder of that file. */
  readonly path?: 'one' | 'several'
}

export const about = z.registry<About>()

function setting<S extends z.ZodType>(schema: S, told: About): S {
  const described = schema.meta({ description: told.description })
  about.add(described, told)
  return described
}

const text = z.string().min(1, 'is empty').max(65_536, 'is too long')
const duration = parsed(parseDuration, DURATION_FORM).refine((ms) => ms > 0, 'is not longer than nothing')
const bytes = parsed(parseBytes, BYTES_FORM)
const webAddress = text.refine(isWebAddress, 'is not an http or https address without credentials')
const proxyAddress = text.refine(
  (value) => /^https?:\/\/[^\s]+$/.test(value) && URL.canParse(value),
  'is not an http or https address',
)
const databaseAddress = text.refine(
  (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value),
  'is not an address like postgres://host:5432/name',
)
const positive = z.int('is not a whole number').positive('is not above zero')

function parsed<T>(parse: (text: string) => T | null, form: string) {
  return z.string().transform((value, context): T => {
    const result = parse(value)
    if (result !== null) return result
    context.issues.push({ code: 'custom', message: `is not ${form}`, input: value })
    return z.NEVER
  })
}

function isWebAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

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

const retention = z.strictObject({
  deliveries: setting(duration.prefault('30d'), { description: 'How long webhooks are kept as they came' }),
  finishedJobs: setting(duration.prefault('90d'), { description: 'How long finished jobs and their slots are kept' }),
  postmortems: setting(duration.prefault('365d'), { description: 'How long post-mortems are kept' }),
  ledger: setting(duration.prefault('730d'), { description: 'How long the ledger of destructive acts is kept' }),
  evidence: setting(bytes.prefault('2GiB'), { description: 'How much evidence is kept; the oldest goes first' }),
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
  kubernetes: kubernetes.prefault({}),
  github: github.prefault({}),
  proxy: proxy.prefault({}),
  caFile: setting(text.optional(), {
    description: 'Certificate authorities (PEM) that are trusted beside the system’s',
    path: 'one',
  }),
  retention: retention.prefault({}),
  log: log.prefault({}),
})

export type Settings = z.output<typeof schema>
