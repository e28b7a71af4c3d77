import { globMatches } from './glob.ts'

/** The registry of a credential as the kubelet reads its key: without scheme, `/v1/` and `/v2/`. */
export function registryKey(location: string): string {
  const bare = location.trim().replace(/^https?:\/\//, '')
  const slash = bare.indexOf('/')
  if (slash === -1) return bare
  const [host, path] = [bare.slice(0, slash), bare.slice(slash)]
  const effective = /^\/v[12]\//.test(path) ? path.slice(3) : path
  return effective === '/' ? host : `${host}${effective}`
}

const HUB = 'docker.io'
const HUB_NAMES: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io'])

/** One name per registry, for comparison and output: Docker Hub has several. */
export function registryName(key: string): string {
  const { host, path } = splitKey(key)
  return HUB_NAMES.has(host) ? `${HUB}${path.replace(/\/$/, '')}` : key.replace(/\/$/, '')
}

/** The kubelet's fallback for images of Docker Hub if no other entry matches. */
export const FALLBACK_KEY = 'index.docker.io'

export function isOfHub(repository: string): boolean {
  return repository.startsWith(`${HUB}/`)
}

/** The kubelet's `URLsMatch`: equal port, the same number of host parts, each matched by its glob, and the path as a plain prefix. */
export function covers(key: string, repository: string): boolean {
  const [given, wanted] = [splitKey(key), splitKey(repository)]
  if (given.port !== wanted.port || given.labels.length !== wanted.labels.length) return false
  if (!wanted.path.startsWith(given.path)) return false
  return given.labels.every((label, index) => globMatches(label, wanted.labels[index] ?? ''))
}

function splitKey(key: string) {
  const slash = key.indexOf('/')
  const [place, path] = slash === -1 ? [key, ''] : [key.slice(0, slash), key.slice(slash)]
  const colon = place.lastIndexOf(':')
  const isPort = colon !== -1 && !place.endsWith(']')
  const [host, port] = isPort ? [place.slice(0, colon), place.slice(colon + 1)] : [place, '']
  return { host, port, path, labels: host.split('.') }
}
