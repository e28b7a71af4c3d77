import { BlockList, isIP } from 'node:net'

/** Given by the configuration; the environment is not read here. */
export type Proxies = {
  readonly httpsProxy?: string | undefined
  readonly httpProxy?: string | undefined
  /** As Go reads it: names with their subdomains, `.suffix`, `*.suffix`, addresses, CIDR ranges, `host:port`, `*`. */
  readonly noProxy?: string | undefined
}

/** The proxy for this target, or null for a direct connection. Loopback is never sent to a proxy. */
export function proxyFor(target: URL, proxies: Proxies): string | null {
  const proxy = target.protocol === 'https:' ? proxies.httpsProxy : proxies.httpProxy
  if (proxy === undefined || proxy === '') return null
  const host = target.hostname.replace(/^\[|\]$/gu, '').toLowerCase()
  if (isLoopback(host)) return null
  const port = target.port === '' ? defaultPort(target) : target.port
  const entries = (proxies.noProxy ?? '').toLowerCase().split(/[\s,]+/u)
  return entries.some((entry) => entry !== '' && exempts(entry, host, port)) ? null : proxy
}

function defaultPort(target: URL): string {
  return target.protocol === 'https:' ? '443' : '80'
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function exempts(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  if (entry.includes('/')) return rangeHolds(entry, host)
  const { name, onlyPort } = splitPort(entry)
  if (onlyPort !== null && onlyPort !== port) return false
  if (isIP(name) !== 0) return name === host
  const suffixOnly = name.startsWith('.') || name.startsWith('*.')
  const bare = name.replace(/^\*?\./u, '')
  return host.endsWith(`.${bare}`) || (!suffixOnly && host === bare)
}

function splitPort(entry: string): { readonly name: string; readonly onlyPort: string | null } {
  if (isIP(entry) !== 0) return { name: entry, onlyPort: null }
  const [, name = entry, onlyPort = null] = /^\[?(.+?)\]?:(\d+)$/u.exec(entry) ?? []
  return { name: name.replace(/^\[|\]$/gu, ''), onlyPort }
}

function rangeHolds(range: string, host: string): boolean {
  const [network = '', bits = ''] = range.split('/')
  const family = isIP(network) === 4 ? 'ipv4' : 'ipv6'
  const prefix = Number(bits)
  const widest = family === 'ipv4' ? 32 : 128
  if (isIP(network) === 0 || isIP(host) !== isIP(network)) return false
  if (bits === '' || !Number.isInteger(prefix) || prefix < 0 || prefix > widest) return false
  const list = new BlockList()
  list.addSubnet(network, prefix, family)
  return list.check(host, family)
}
