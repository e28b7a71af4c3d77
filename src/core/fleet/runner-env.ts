import type { Fields } from '#/core/basics/fields.ts'
import { at, listAt, textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { decodeBase64 } from '#/core/redaction/values/digests.ts'
import type { Digest } from '#/core/redaction/redaction-secret.ts'

/** An environment variable of a container, as far as its spec and Secrets show it. */
export type Variable =
  | { readonly kind: 'value'; readonly text: string }
  /** It is set. Its value is not read, but it may be compared with a given one. */
  | { readonly kind: 'hidden'; readonly from: string; readonly equals: ((text: string) => boolean) | null }
  /** It may be set, by a source that was not read. */
  | { readonly kind: 'maybe'; readonly from: string }
  /** Its Secret or key is missing: the container cannot start. */
  | { readonly kind: 'lacking'; readonly secret: string; readonly key: string }
  | { readonly kind: 'unset' }

export type ContainerEnv = {
  /** The names in `env`, without `envFrom`. */
  readonly names: readonly string[]
  readonly variable: (name: string) => Variable
}

/** Finds a Secret; undefined if Secrets were not read. */
export type FindSecret = (namespace: string, name: string) => Fields | null | undefined

export function secretFinder(fleet: Fleet): FindSecret {
  const known = new Map(
    fleet
      .rows('secrets')
      .map((secret) => [
        `${textAt(secret, 'metadata', 'namespace') ?? 'default'}/${textAt(secret, 'metadata', 'name')}`,
        secret,
      ]),
  )
  const otherwise = fleet.saw('kubernetes/secrets') ? null : undefined
  return (namespace, name) => known.get(`${namespace}/${name}`) ?? otherwise
}

type EnvContext = { readonly namespace: string; readonly findSecret: FindSecret; readonly digest: Digest }

export function containerEnv(container: Fields | null, context: EnvContext): ContainerEnv {
  const listed = new Map(listAt(container, 'env').map((entry) => [textAt(entry, 'name') ?? '', entry]))
  // If two sources set the same variable, the last one wins.
  const sources = listAt(container, 'envFrom').toReversed()
  return {
    names: [...listed.keys()],
    variable: (name) => {
      const entry = listed.get(name)
      return entry === undefined ? fromSources(sources, name, context) : listedVariable(entry, context)
    },
  }
}

const REDACTED = '‹redacted:'

function listedVariable(entry: unknown, context: EnvContext): Variable {
  const from = at(entry, 'valueFrom')
  if (from === undefined) {
    const text = textAt(entry, 'value')
    if (text === null) return { kind: 'unset' }
    return text.includes(REDACTED) ? { kind: 'hidden', from: 'a redacted value', equals: null } : toVariable(text)
  }
  const secret = at(from, 'secretKeyRef')
  if (secret !== undefined) return fromSecret(secret, context)
  const map = at(from, 'configMapKeyRef')
  const place = map === undefined ? 'the pod itself' : `ConfigMap ${textAt(map, 'name')}`
  return at(map, 'optional') === true ? { kind: 'maybe', from: place } : { kind: 'hidden', from: place, equals: null }
}

function toVariable(text: string): Variable {
  return text.trim() === '' ? { kind: 'unset' } : { kind: 'value', text }
}

function fromSecret(reference: unknown, { namespace, findSecret, digest }: EnvContext): Variable {
  const [name, key] = [textAt(reference, 'name') ?? '', textAt(reference, 'key') ?? '']
  const isOptional = at(reference, 'optional') === true
  const secret = findSecret(namespace, name)
  if (secret === undefined) {
    return isOptional
      ? { kind: 'maybe', from: `Secret ${name}` }
      : { kind: 'hidden', from: `Secret ${name}`, equals: null }
  }
  const found = secret === null ? null : secretValue(secret, key, digest)
  return found ?? (isOptional ? { kind: 'unset' } : { kind: 'lacking', secret: name, key })
}

/** Null if the Secret has no such key. */
function secretValue(secret: Fields, key: string, digest: Digest): Variable | null {
  const plain = textAt(secret, 'stringData', key)
  const encoded = at(secret, 'data', key)
  if (plain === null && typeof encoded !== 'string') return null
  const from = `Secret ${textAt(secret, 'metadata', 'name')}`
  const bytes = plain === null ? decodeBase64(String(encoded)) : new TextEncoder().encode(plain)
  const text = new TextDecoder().decode(bytes)
  // A value may be `sha256:…` itself, or its base64.
  const written = [String(encoded), text].find((candidate) => /^sha256:[0-9a-f]{64}$/.test(candidate))
  const equals = (wanted: string): boolean =>
    written === undefined ? text.trim() === wanted : written === `sha256:${digest(new TextEncoder().encode(wanted))}`
  return { kind: 'hidden', from, equals }
}

function fromSources(sources: readonly unknown[], name: string, context: EnvContext): Variable {
  let maybe: Variable = { kind: 'unset' }
  for (const source of sources) {
    const prefix = textAt(source, 'prefix') ?? ''
    const key = name.startsWith(prefix) ? name.slice(prefix.length) : null
    const found = key === null ? null : fromSource(source, key, context)
    if (found?.kind === 'maybe') maybe = found
    else if (found !== null) return found
  }
  return maybe
}

/** Null if it does not set this variable. */
function fromSource(source: unknown, key: string, { namespace, findSecret, digest }: EnvContext): Variable | null {
  const map = textAt(source, 'configMapRef', 'name')
  if (map !== null) return { kind: 'maybe', from: `ConfigMap ${map}` }
  const name = textAt(source, 'secretRef', 'name')
  if (name === null) return null
  const secret = findSecret(namespace, name)
  if (secret === undefined) return { kind: 'maybe', from: `Secret ${name}` }
  if (secret !== null) return secretValue(secret, key, digest)
  return at(source, 'secretRef', 'optional') === true ? null : { kind: 'lacking', secret: name, key }
}

export function isSet(variable: Variable): boolean {
  return variable.kind === 'value' || variable.kind === 'hidden'
}
