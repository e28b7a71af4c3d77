import { mark } from './shapes/redaction-kinds.ts'
import { decodeBase64, isDigest } from './values/digests.ts'

/** SHA-256 of the bytes, in lower-case hexadecimal. */
export type Digest = (bytes: Uint8Array) => string

export const REGISTRIES_ANNOTATION = 'signalbox.dev/registries'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

type Fields = Readonly<Record<string, unknown>>

/** A Secret with each value replaced by its digest. One that has digests already is returned unchanged. */
export function redactSecret(secret: Fields, digest: Digest): Fields {
  const data = digestAll(secret['data'], (value) => digest(decodeBase64(value)))
  const stringData = digestAll(secret['stringData'], (value) => digest(new TextEncoder().encode(value)))
  const metadata = redactMetadata(secret, digest)
  const isSame = data === secret['data'] && stringData === secret['stringData'] && metadata === secret['metadata']
  if (isSame) return secret
  return {
    ...secret,
    ...(metadata === undefined ? {} : { metadata }),
    ...(data === undefined ? {} : { data }),
    ...(stringData === undefined ? {} : { stringData }),
  }
}

function digestAll(values: unknown, digest: (value: string) => string): unknown {
  if (!isFields(values)) return values
  const isDone = Object.values(values).every((value) => typeof value === 'string' && isDigest(value))
  if (isDone) return values
  const digested = Object.entries(values).map(([key, value]) => {
    // A value that is not text is not valid in a Secret, and could be anything.
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [key, isDigest(text) ? text : `sha256:${digest(text)}`]
  })
  return Object.fromEntries(digested)
}

/** kubectl keeps the whole Secret, including values, in an annotation. */
function redactMetadata(secret: Fields, digest: Digest): unknown {
  const metadata = secret['metadata']
  if (!isFields(metadata)) return metadata
  const annotations = isFields(metadata['annotations']) ? metadata['annotations'] : {}
  const registries = digestRegistries(secret, digest)
  const lastApplied = annotations[LAST_APPLIED]
  const hidesLastApplied = typeof lastApplied === 'string' && lastApplied !== mark('last-applied-configuration')
  if (registries === null && !hidesLastApplied) return metadata
  return {
    ...metadata,
    annotations: {
      ...annotations,
      ...(hidesLastApplied ? { [LAST_APPLIED]: mark('last-applied-configuration') } : {}),
      ...(registries === null ? {} : { [REGISTRIES_ANNOTATION]: JSON.stringify(registries) }),
    },
  }
}

/** Registry → digest of its credential, so that copies can be compared without revealing them. */
function digestRegistries(secret: Fields, digest: Digest): Readonly<Record<string, string>> | null {
  const entries = registryEntries(secret)
  if (entries === null) return null
  const digests = Object.entries(entries).flatMap(([registry, entry]) => {
    const credential = isFields(entry) ? normaliseCredential(entry) : null
    return credential === null ? [] : [[registry, `sha256:${digest(new TextEncoder().encode(credential))}`] as const]
  })
  return Object.fromEntries(digests)
}

/** The full entries of the Secret: registry → entry. Null if it has no such document, or an unreadable one. */
export function registryEntries(secret: Fields): Fields | null {
  const current = parseConfig(secret, '.dockerconfigjson')
  if (current !== null) return isFields(current['auths']) ? current['auths'] : {}
  return parseConfig(secret, '.dockercfg')
}

function parseConfig(secret: Fields, key: string): Fields | null {
  const encoded = isFields(secret['data']) ? secret['data'][key] : undefined
  const plain = isFields(secret['stringData']) ? secret['stringData'][key] : undefined
  const text = typeof plain === 'string' ? plain : typeof encoded === 'string' ? decodeText(encoded) : null
  if (text === null) return null
  try {
    const config: unknown = JSON.parse(text)
    return isFields(config) ? config : null
  } catch {
    return null
  }
}

/** `auth` and the pair of user and password are equivalent: `username:password`. If both are present, the kubelet uses `auth`. */
export function normaliseCredential(entry: Fields): string | null {
  const { auth, username, password, identitytoken } = entry
  if (typeof identitytoken === 'string' && identitytoken !== '') return `identitytoken:${identitytoken}`
  if (typeof auth === 'string' && auth !== '') return decodeText(auth)
  return typeof username === 'string' && typeof password === 'string' ? `${username}:${password}` : null
}

function decodeText(base64: string): string {
  return new TextDecoder().decode(decodeBase64(base64))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
