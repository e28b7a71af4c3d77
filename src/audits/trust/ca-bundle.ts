import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { FindSecret } from '#/core/fleet/runner-env.ts'

/** Variables for extra certificates: OpenSSL and Go, Nix, Node. */
export const CA_VARIABLES = ['SSL_CERT_FILE', 'NIX_SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'] as const

/** Where images keep their own certificates. */
const IMAGE_STORES = [
  '/etc/ssl/',
  '/etc/pki/',
  '/etc/ca-certificates/',
  '/usr/share/ca-certificates/',
  '/usr/local/share/ca-certificates/',
  '/usr/lib/ssl/',
  '/usr/local/ssl/',
  '/var/lib/ca-certificates/',
  '/nix/',
  '/run/current-system/',
]
const NIX_PROFILE = /^\/(?:root|home\/[^/]+)\/\.nix-profile\//

export function isImageStore(path: string): boolean {
  return NIX_PROFILE.test(path) || IMAGE_STORES.some((store) => path.startsWith(store))
}

type Place = { readonly namespace: string; readonly findSecret: FindSecret }

/** Why no file can exist at this path in the container, judged by its spec; null if one may. */
export function whyUnreadable(path: string, spec: Fields, container: Fields | null, place: Place): string | null {
  if (!path.startsWith('/')) return `${path} is not an absolute path`
  const mount = mountOver(container, path)
  if (mount === null) return isImageStore(path) ? null : `no volume of the container is mounted over ${path}`
  const volume = listAt(spec, 'volumes').find((one) => textAt(one, 'name') === textAt(mount, 'name'))
  const inside = insidePath(mount, path)
  return volume === undefined || inside === null ? null : whyAbsent(toFields(volume), inside, place)
}

/** The deepest mount that holds the path. */
export function mountOver(container: Fields | null, path: string): unknown {
  const over = listAt(container, 'volumeMounts').filter((mount) => {
    const at = (textAt(mount, 'mountPath') ?? '').replace(/\/+$/, '')
    return at !== '' && (path === at || path.startsWith(`${at}/`))
  })
  const depth = (mount: unknown): number => (textAt(mount, 'mountPath') ?? '').length
  return over.toSorted((a, b) => depth(b) - depth(a))[0] ?? null
}

/** The path in the volume; null if part of it is expanded at pod start. */
function insidePath(mount: unknown, path: string): string | null {
  const mountPath = (textAt(mount, 'mountPath') ?? '').replace(/\/+$/, '')
  if (textAt(mount, 'subPathExpr') !== null) return null
  const rest = path.slice(mountPath.length).replace(/^\//, '')
  return [textAt(mount, 'subPath') ?? '', rest].filter((part) => part !== '').join('/')
}

function whyAbsent(volume: Fields, inside: string, place: Place): string | null {
  const source = at(volume, 'secret') ?? at(volume, 'configMap')
  const items = listAt(source, 'items')
  const item = items.find((one) => textAt(one, 'path') === inside)
  if (items.length > 0 && item === undefined) return `the volume ${textAt(volume, 'name')} has no file ${inside}`
  const name = textAt(volume, 'secret', 'secretName')
  return name === null ? null : whyNotInSecret(source, textAt(item, 'key') ?? inside, { name, ...place })
}

function whyNotInSecret(
  source: unknown,
  key: string,
  { namespace, name, findSecret }: Place & { readonly name: string },
): string | null {
  const secret = findSecret(namespace, name)
  if (secret === undefined) return null
  if (secret === null) {
    // If an optional Secret is missing, the volume is empty; without a required one no pod starts, which other audits report.
    return at(source, 'optional') === true ? `${namespace} has no Secret ${name}` : null
  }
  const keys = { ...toFields(at(secret, 'data')), ...toFields(at(secret, 'stringData')) }
  return key in keys ? null : `the Secret ${name} has no key ${key}`
}
