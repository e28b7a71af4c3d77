import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { JsonRecord } from './record.ts'
import { asRecord } from './record.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isTextMap: Check = (value) => {
  const record = asRecord(value)
  return record !== null && Object.values(record).every(isText)
}
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText)
const isOwnerList: Check = (value) => Array.isArray(value) && value.every(isOwner)

const REQUIRED: Readonly<Record<string, Check>> = {
  name: (value) => isText(value) && value !== '',
  uid: (value) => isText(value) && value !== '',
  resourceVersion: (value) => isText(value) && value !== '',
}

const OPTIONAL: Readonly<Record<string, Check>> = {
  namespace: isText,
  generation: isNumber,
  creationTimestamp: isText,
  deletionTimestamp: isText,
  deletionGracePeriodSeconds: isNumber,
  labels: isTextMap,
  annotations: isTextMap,
  ownerReferences: isOwnerList,
  finalizers: isTextList,
  managedFields: (value) => Array.isArray(value),
}

/** The members of a list do not say what they are; the list does. */
export type Kind = { readonly apiVersion: string; readonly kind: string }

/** The object, or the name of the first field that is not what the API promises. */
export function parseObject(value: unknown, inherited?: Kind): KubeObject | string {
  const record = asRecord(value)
  if (record === null) return 'the object'
  const apiVersion = record['apiVersion'] ?? inherited?.apiVersion
  const kind = record['kind'] ?? inherited?.kind
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return 'apiVersion and kind'
  const given = asRecord(record['metadata'])
  if (given === null) return 'metadata'
  const metadata = withoutNulls(given)
  const wrong = firstWrong(metadata)
  if (wrong !== null) return `metadata.${wrong}`
  return { ...record, apiVersion, kind, metadata } as unknown as KubeObject
}

function firstWrong(metadata: JsonRecord): string | null {
  for (const [field, check] of Object.entries(REQUIRED)) if (!check(metadata[field])) return field
  for (const [field, check] of Object.entries(OPTIONAL)) {
    const value = metadata[field]
    if (value !== undefined && !check(value)) return field
  }
  return null
}

/** Go's encoder writes null for some fields that are not set. */
function withoutNulls(metadata: JsonRecord): JsonRecord {
  const fields = Object.entries(metadata)
  return fields.some(([, value]) => value === null)
    ? Object.fromEntries(fields.filter(([, value]) => value !== null))
    : metadata
}

function isOwner(value: unknown): boolean {
  const owner = asRecord(value)
  return owner !== null && ['apiVersion', 'kind', 'name', 'uid'].every((field) => isText(owner[field]))
}
