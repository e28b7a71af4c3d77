import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Credentials } from './credentials.ts'
import type { KubeconfigSource } from './load-kubeconfig.ts'
import { readKubeconfig } from './load-kubeconfig.ts'
import { asRecord, asText } from './record.ts'

type Entry = Readonly<Record<string, unknown>>
type Placed = { readonly name: string; readonly own: Entry; readonly folder: string }

/** A kubeconfig that holds nothing but addresses, files and tokens. */
export type PlainKubeconfig = {
  readonly server: URL
  readonly cluster: Entry
  readonly user: Entry
  readonly clusterFolder: string
  readonly userFolder: string
  readonly namespace: string | null
}

const CLUSTER_KEYS: ReadonlySet<string> = new Set([
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'tls-server-name',
  'proxy-url',
  'insecure-skip-tls-verify',
  'extensions',
])
const USER_KEYS: ReadonlySet<string> = new Set([
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'token',
  'tokenFile',
])

/** Null for all that the library is there for: exec plugins, providers, http, a pod's own account, and what is broken. */
export async function readPlainKubeconfig(source: KubeconfigSource): Promise<PlainKubeconfig | null> {
  return source.kind === 'files' ? await inFiles(source) : null
}

async function inFiles(source: KubeconfigSource & { kind: 'files' }): Promise<PlainKubeconfig | null> {
  const files = await Promise.all(source.paths.map((path) => readPlaces(source.paths, path)))
  if (files.includes(null)) return null
  const read = files.filter((file) => file !== null)
  const { context, cluster, user } = chosen(read, source.context)
  if (cluster === null || user === null) return null
  const server = secureServer(cluster.own)
  if (server === null || !isPlain(cluster.own, CLUSTER_KEYS) || !isPlain(user.own, USER_KEYS)) return null
  return {
    server,
    cluster: cluster.own,
    user: user.own,
    clusterFolder: cluster.folder,
    userFolder: user.folder,
    namespace: asText(context['namespace']),
  }
}

/** Whoever comes first wins, as kubectl has it. */
function chosen(read: readonly Places[], asked: string | undefined) {
  const find = (kind: 'contexts' | 'clusters' | 'users', name: string | null): Placed | null =>
    read.flatMap((file) => file[kind]).find((one) => one.name === name) ?? null
  const current = read.find((file) => (file.current ?? '') !== '')?.current ?? null
  const context = find('contexts', asked ?? current)?.own ?? {}
  const cluster = find('clusters', asText(context['cluster']))
  return { context, cluster, user: find('users', asText(context['user'])) }
}

function secureServer(cluster: Entry): URL | null {
  const address = asText(cluster['server'])?.replace(/\/$/, '') ?? ''
  const server = URL.canParse(address) ? new URL(address) : null
  return server?.protocol === 'https:' ? server : null
}

type Places = Readonly<Record<'contexts' | 'clusters' | 'users', readonly Placed[]>> & {
  readonly current: string | null
}

const NOTHING: Places = { contexts: [], clusters: [], users: [], current: null }

/** Null where an entry is not as it should be: the library says which. */
async function readPlaces(paths: readonly string[], path: string): Promise<Places | null> {
  const text = await readKubeconfig(paths, path)
  if (text === null) return NOTHING
  const { parse } = await import('yaml')
  const document = asRecord(parsed(parse, text))
  if (document === null) return null
  const folder = dirname(path)
  const [contexts, clusters, users] = [
    placed(document['contexts'], 'context', folder),
    placed(document['clusters'], 'cluster', folder),
    placed(document['users'], 'user', folder),
  ]
  if (contexts === null || clusters === null || users === null) return null
  if (clusters.some(({ own }) => asText(own['server']) === null)) return null
  return { contexts, clusters, users, current: asText(document['current-context']) }
}

function parsed(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text)
  } catch {
    return null
  }
}

function placed(list: unknown, key: string, folder: string): readonly Placed[] | null {
  if (!Array.isArray(list)) return null
  const entries = list.map((entry: unknown): Placed | null => {
    const name = asText(asRecord(entry)?.['name'])
    const own = asRecord(asRecord(entry)?.[key])
    return name === null || own === null ? null : { name, own, folder }
  })
  return entries.includes(null) ? null : entries.filter((entry) => entry !== null)
}

/** A value that is no text is for the library to refuse. */
function isPlain(own: Entry, keys: ReadonlySet<string>): boolean {
  return Object.entries(own).every(
    ([key, value]) =>
      keys.has(key) &&
      (key === 'extensions' || (key === 'insecure-skip-tls-verify' ? typeof value === 'boolean' : isText(value))),
  )
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** Files are read each time: a certificate and the token of a service account are renewed in place. */
export async function plainCredentials(config: PlainKubeconfig): Promise<Credentials> {
  const { cluster, user, clusterFolder, userFolder } = config
  const token = await readToken(user, userFolder)
  return {
    kind: 'ready',
    server: config.server,
    headers: token === null ? {} : { authorization: `Bearer ${token}`.trim() },
    tls: {
      ca: await pem(cluster, 'certificate-authority', clusterFolder),
      cert: await pem(user, 'client-certificate', userFolder),
      key: await pem(user, 'client-key', userFolder),
      servername: asText(cluster['tls-server-name']) ?? undefined,
      rejectUnauthorized: cluster['insecure-skip-tls-verify'] === true ? false : undefined,
    },
    proxyUrl: asText(cluster['proxy-url']),
    namespace: config.namespace,
  }
}

async function readToken(user: Entry, folder: string): Promise<string | null> {
  const file = asText(user['tokenFile'])
  if (file === null) return asText(user['token'])
  const text = await readFile(absolute(folder, file), 'utf8')
  return text === '' ? null : text
}

/** The file goes before the data, as the library has it. */
async function pem(own: Entry, key: string, folder: string): Promise<string | undefined> {
  const file = asText(own[key])
  if (file !== null) return await readFile(absolute(folder, file), 'utf8')
  const data = asText(own[`${key}-data`])
  return data === null ? undefined : Buffer.from(data, 'base64').toString('utf8')
}

function absolute(folder: string, file: string): string {
  return isAbsolute(file) ? file : join(folder, file)
}
