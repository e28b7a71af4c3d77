import type { ContainerEnv } from '#/core/fleet/runner-env.ts'
import { isSet } from '#/core/fleet/runner-env.ts'

/** Variables by which builds find a remote cache. A cache on the runner's own disk is always reachable. */
const KNOWN =
  /^(?:ATTIC_(?:SERVER|CACHE|TOKEN)|CACHIX_\w+|SCCACHE_(?:ENDPOINT|BUCKET|REGION|REDIS|MEMCACHED|WEBDAV|GCS|AZURE|S3)\w*|BAZEL_REMOTE_CACHE|ACTIONS_(?:CACHE|RESULTS)_URL|TURBO_(?:API|TOKEN|TEAM|TEAMID))$/

/** The variables that hold an address. */
const ADDRESSES: ReadonlySet<string> = new Set([
  'ATTIC_SERVER',
  'SCCACHE_ENDPOINT',
  'SCCACHE_REDIS',
  'SCCACHE_REDIS_ENDPOINT',
  'SCCACHE_MEMCACHED',
  'SCCACHE_MEMCACHED_ENDPOINT',
  'SCCACHE_WEBDAV_ENDPOINT',
  'BAZEL_REMOTE_CACHE',
  'ACTIONS_CACHE_URL',
  'ACTIONS_RESULTS_URL',
  'TURBO_API',
])

export const NIX_CONFIG = 'NIX_CONFIG'

/** The container's variables that configure a cache. */
export function knownVariables(env: ContainerEnv): readonly string[] {
  return env.names.filter((name) => KNOWN.test(name) || (name === NIX_CONFIG && substituters(env).length > 0))
}

/** Whether the name of the variable suggests an address. */
export function isAddressName(name: string): boolean {
  return ADDRESSES.has(name) || /_(?:SERVER|URL|ENDPOINT|HOST|ADDR|ADDRESS)$/.test(name)
}

/** The cache addresses in all variables that hold one: known variables and declared ones. */
export function addressesIn(env: ContainerEnv, declared: readonly string[]): readonly CacheAddress[] {
  const names = new Set([...env.names.filter((name) => ADDRESSES.has(name)), ...declared])
  const own = [...names].flatMap((from) => {
    const variable = env.variable(from)
    const address = variable.kind === 'value' ? parseAddress(variable.text) : null
    return address === null ? [] : [{ from, ...address }]
  })
  return [...own, ...substituters(env)]
}

/** Nix substituters, without the public cache: nobody here can fix that. */
function substituters(env: ContainerEnv): readonly CacheAddress[] {
  return settings(env, /^(?:extra-)?(?:trusted-)?substituters$/).flatMap((text) => {
    const address = parseAddress(text)
    return address === null || address.host === 'cache.nixos.org' ? [] : [{ from: NIX_CONFIG, ...address }]
  })
}

/** The values of a setting in NIX_CONFIG, without comments. */
export function settings(env: ContainerEnv, name: RegExp): readonly string[] {
  const variable = env.variable(NIX_CONFIG)
  if (variable.kind !== 'value') return []
  return variable.text.split('\n').flatMap((line) => {
    const [bare = ''] = line.split('#')
    const sign = bare.indexOf('=')
    const isWanted = sign !== -1 && name.test(bare.slice(0, sign).trim())
    return isWanted
      ? bare
          .slice(sign + 1)
          .split(/\s+/)
          .filter((word) => word !== '')
      : []
  })
}

export type CacheAddress = {
  /** The variable that holds it. */
  readonly from: string
  readonly host: string
  readonly port: number
}

const PORTS: ReadonlyMap<string, number> = new Map([
  ['http:', 80],
  ['https:', 443],
  ['grpc:', 80],
  ['grpcs:', 443],
  ['redis:', 6379],
  ['rediss:', 6379],
  ['memcached:', 11_211],
])

/** An address with a scheme, or `host:port`; null for anything else. */
export function parseAddress(text: string): Pick<CacheAddress, 'host' | 'port'> | null {
  const given = text.trim()
  const bare = /^(?<host>[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?):(?<port>\d{1,5})$/.exec(given)?.groups
  if (bare !== undefined) return { host: (bare['host'] ?? '').toLowerCase(), port: Number(bare['port']) }
  if (!URL.canParse(given)) return null
  const { protocol, hostname, port } = new URL(given)
  const number = port === '' ? PORTS.get(protocol) : Number(port)
  return hostname === '' || number === undefined ? null : { host: hostname.toLowerCase(), port: number }
}

/** Variables that are useless without the other. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['ATTIC_SERVER', 'ATTIC_CACHE'],
  ['ATTIC_CACHE', 'ATTIC_SERVER'],
]

/** Variables that a container needs because it has the other one of the pair. */
export function missingPartners(env: ContainerEnv): readonly string[] {
  return PAIRS.flatMap(([has, needs]) => (isSet(env.variable(has)) ? [needs] : []))
}
