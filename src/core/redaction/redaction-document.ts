import { looksGenerated, looksRandom } from './values/random-looking.ts'
import { isHarmlessValue, isJitName, isSecretKey, isSecretName, weighName } from './values/secret-names.ts'
import { mark } from './shapes/redaction-kinds.ts'
import { redactSecret } from './redaction-secret.ts'
import { isDigest } from './values/digests.ts'
import type { Digest } from './redaction-secret.ts'

type Json = string | number | boolean | null | readonly Json[] | JsonRecord
type JsonRecord = { readonly [key: string]: Json }

type Walk = { readonly digest: Digest; readonly redactText: (text: string) => string; readonly depth: number }

/** Deeper than any tool prints; below it only the text rules apply. */
const MAX_DEPTH = 64

/**
 * The document with its secrets replaced, in its own layout, or null if the text is not JSON. A document without
 * changes is returned byte for byte.
 */
export function redactDocument(text: string, walk: Omit<Walk, 'depth'>): string | null {
  const document = parse(text)
  if (document === undefined) return null
  const redacted = redactValue(document, { ...walk, depth: 0 })
  if (redacted === document) return text
  const [, indent = ''] = /^\s*[[{]\r?\n([ \t]+)/.exec(text) ?? []
  return `${JSON.stringify(redacted, null, indent)}${text.slice(text.trimEnd().length)}`
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Returns the same value if there is nothing to hide, so that callers can compare by identity. */
function redactValue(value: Json, walk: Walk): Json {
  if (typeof value === 'string') return redactString(value, walk)
  if (typeof value !== 'object' || value === null) return value
  if (walk.depth > MAX_DEPTH) return mark('too-deep')
  const deeper = { ...walk, depth: walk.depth + 1 }
  return isArray(value) ? redactArray(value, deeper) : redactRecord(value, deeper)
}

function redactString(text: string, walk: Walk): string {
  const nested = /^\s*[[{]/.test(text) && walk.depth < MAX_DEPTH ? parse(text) : undefined
  if (nested === undefined || typeof nested !== 'object') return walk.redactText(text)
  const redacted = redactValue(nested, walk)
  return redacted === nested ? text : JSON.stringify(redacted)
}

/** `["--token", "value"]`: the word after an option that names a secret. */
function redactArray(items: readonly Json[], walk: Walk): Json {
  if (isBytes(items)) return redactBytes(items, walk)
  const redacted = items.map((item, index) => {
    const before = items[index - 1]
    return typeof item === 'string' && typeof before === 'string' && isOptionForSecret(before, item)
      ? hide(before, item)
      : redactValue(item, walk)
  })
  return redacted.every((item, index) => item === items[index]) ? items : redacted
}

/** journalctl prints a message with colours in it as an array of bytes. */
function redactBytes(bytes: readonly number[], walk: Walk): Json {
  const text = new TextDecoder().decode(Uint8Array.from(bytes))
  const redacted = redactString(text, walk)
  return redacted === text ? bytes : redacted
}

function isBytes(items: readonly Json[]): items is readonly number[] {
  return (
    items.length > 0 &&
    items.every((item) => typeof item === 'number' && Number.isInteger(item) && item >= 0 && item < 256)
  )
}

function isOptionForSecret(option: string, value: string): boolean {
  return /^--?[a-z][a-z-]*$/.test(option) && isSecretName(option) && !value.startsWith('-')
}

function redactRecord(record: JsonRecord, walk: Walk): JsonRecord {
  const whole = isSecretObject(record)
    ? (redactSecret(record, walk.digest) as JsonRecord)
    : withSecretParts(record, walk)
  const { name, value } = whole
  const isSecretPair = typeof name === 'string' && typeof value === 'string' && isSecretVariable(name, value)
  const entries = Object.entries(whole).map(([key, item]): readonly [string, Json] => {
    if (isSecretPair && key === 'value') return [key, hide(name, value)]
    if (isSecretKey(key) && isTexts(item)) return [key, hideAll(key, item)]
    if (typeof item === 'string' && isSecretEntry(key, item)) return [key, hide(key, item)]
    return [walk.redactText(key), redactValue(item, walk)]
  })
  const isSame = whole === record && entries.every(([key, item]) => item === record[key])
  return isSame ? record : Object.fromEntries(entries)
}

/** A cache key is needed to read the evidence. */
function isSecretVariable(name: string, value: string): boolean {
  return isSecretName(name) && (weighName(name) !== 'possible' || looksRandom(value))
}

/** A key whose ordinary spelling we do not know (`snykToken`), with a value that is no word. */
function isSecretEntry(key: string, value: string): boolean {
  const weight = weighName(key)
  if (weight === 'none') return false
  return looksRandom(value) || (weight !== 'possible' && looksGenerated(value))
}

function isSecretObject(record: JsonRecord): boolean {
  return record['kind'] === 'Secret' && record['apiVersion'] === 'v1'
}

/** Secrets without their own kind: the items of a SecretList, the bodies of an audit event on a Secret. */
function withSecretParts(record: JsonRecord, walk: Walk): JsonRecord {
  const parts =
    record['kind'] === 'SecretList' ? ['items'] : isAboutSecret(record) ? ['requestObject', 'responseObject'] : []
  const redacted = parts.flatMap((part): (readonly [string, Json])[] => {
    const value = record[part]
    if (value === undefined) return []
    return [[part, isArray(value) ? value.map((row) => asSecret(row, walk)) : asSecret(value, walk)]]
  })
  return redacted.length === 0 ? record : { ...record, ...Object.fromEntries(redacted) }
}

function isAboutSecret(record: JsonRecord): boolean {
  const reference = record['objectRef']
  return isRecord(reference) && reference['resource'] === 'secrets'
}

function asSecret(value: Json, walk: Walk): Json {
  return isRecord(value) ? (redactSecret(value, walk.digest) as JsonRecord) : value
}

/** A header is printed as an array of its values. */
function isTexts(value: Json): value is string | readonly string[] {
  return typeof value === 'string' || (isArray(value) && value.every((item) => typeof item === 'string'))
}

function hideAll(name: string, value: string | readonly string[]): Json {
  if (typeof value === 'string') return hide(name, value)
  const hidden = value.map((item) => hide(name, item))
  return hidden.every((item, index) => item === value[index]) ? value : hidden
}

/** A digest of a secret is not a secret, even under a secret's name. */
function hide(name: string, value: string): string {
  if (isHarmlessValue(value) || isDigest(value)) return value
  return mark(isJitName(name) ? 'jit-config' : 'credential')
}

function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
