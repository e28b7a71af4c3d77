import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, textAt } from '#/core/basics/fields.ts'
import type { Digest } from '#/core/redaction/redaction-secret.ts'
import { REGISTRIES_ANNOTATION, normaliseCredential, registryEntries } from '#/core/redaction/redaction-secret.ts'
import { isDigest } from '#/core/redaction/values/digests.ts'
import { FALLBACK_KEY, covers, isOfHub, registryKey, registryName } from './registry-key.ts'

/** A Secret with registry credentials, complete or as `collect` wrote it. It holds digests, never a credential. */
export type PullSecret = {
  readonly namespace: string
  readonly name: string
  /** Why the kubelet ignores it, or null. */
  readonly flaw: string | null
  readonly content: PullSecretContent
}

export type PullSecretContent =
  /** By registry key as the kubelet reads it: digests of normalised credentials. */
  | { readonly kind: 'registries'; readonly credentials: ReadonlyMap<string, ReadonlySet<string>> }
  /** Only the digest of the whole document: its registries are unknown. */
  | { readonly kind: 'sealed'; readonly digest: string }
  | { readonly kind: 'nothing' }

/** The Secret types that the kubelet reads, with their key. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
  ['kubernetes.io/dockercfg', '.dockercfg'],
])

export function readPullSecret(secret: Fields, digest: Digest): PullSecret {
  const content = readContent(secret, digest)
  return {
    namespace: textAt(secret, 'metadata', 'namespace') ?? 'default',
    name: textAt(secret, 'metadata', 'name') ?? '',
    flaw: findFlaw(secret, content),
    content,
  }
}

function findFlaw(secret: Fields, content: PullSecretContent): string | null {
  const type = textAt(secret, 'type') ?? 'Opaque'
  const key = KEYS.get(type)
  if (key === undefined) return `its type is ${type}`
  if (documentAt(secret, key) === null) return `its type is ${type} and it has no ${key}`
  return content.kind === 'nothing' ? `its ${key} is not a JSON document` : null
}

function documentAt(secret: Fields, key: string): string | null {
  return textAt(secret, 'data', key) ?? textAt(secret, 'stringData', key)
}

function readContent(secret: Fields, digest: Digest): PullSecretContent {
  const entries = registryEntries(secret)
  if (entries !== null) return { kind: 'registries', credentials: gather(digestEntries(entries, digest)) }
  const written = writtenDigests(secret)
  if (written !== null) return { kind: 'registries', credentials: gather(written) }
  for (const key of KEYS.values()) {
    const document = documentAt(secret, key)
    if (document !== null && isDigest(document)) return { kind: 'sealed', digest: document }
  }
  return { kind: 'nothing' }
}

type Entry = readonly [location: string, digest: string]

function digestEntries(entries: Fields, digest: Digest): readonly Entry[] {
  return Object.entries(entries).flatMap(([location, entry]): readonly Entry[] => {
    const credential = normaliseCredential(toFields(entry))
    return credential === null ? [] : [[location, `sha256:${digest(new TextEncoder().encode(credential))}`]]
  })
}

function writtenDigests(secret: Fields): readonly Entry[] | null {
  const text = textAt(at(secret, 'metadata', 'annotations'), REGISTRIES_ANNOTATION)
  if (text === null) return null
  try {
    const document: unknown = JSON.parse(text)
    return Object.entries(toFields(document)).flatMap(([location, digest]): readonly Entry[] =>
      typeof digest === 'string' ? [[location, digest]] : [],
    )
  } catch {
    return null
  }
}

function gather(entries: readonly Entry[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const [location, digest] of entries) {
    const key = registryKey(location)
    found.set(key, (found.get(key) ?? new Set()).add(digest))
  }
  return found
}

/** The entries that the kubelet tries for an image of this repository. */
export function coveringKeys({ content }: PullSecret, repository: string): readonly string[] {
  if (content.kind !== 'registries') return []
  const fitting = [...content.credentials.keys()].filter((key) => covers(key, repository))
  if (fitting.length > 0) return fitting
  return isOfHub(repository) && content.credentials.has(FALLBACK_KEY) ? [FALLBACK_KEY] : []
}

/** The registry names in it, for output. */
export function listRegistries({ content }: PullSecret): readonly string[] {
  return content.kind === 'registries' ? [...new Set([...content.credentials.keys()].map(registryName))].toSorted() : []
}
