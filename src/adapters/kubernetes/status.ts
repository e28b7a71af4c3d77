import type { JsonRecord } from './record.ts'
import { asRecord, asText } from './record.ts'

/** The API server's failure document (`kind: Status`). */
export type Status = {
  readonly code: number
  readonly reason: string
  readonly message: string
  /** The object that it is about; a missing kind has none. The kind is a plural, with its subresource: `pods/log`. */
  readonly about: { readonly kind: string; readonly name: string } | null
  readonly causes: readonly Cause[]
}

/** Each is empty where the server gave none. */
export type Cause = { readonly reason: string; readonly field: string }

const LONGEST_MESSAGE = 400

export function parseStatus(value: unknown): Status | null {
  const record = asRecord(value)
  if (record === null || record['kind'] !== 'Status' || typeof record['code'] !== 'number') return null
  const details = asRecord(record['details'])
  return {
    code: record['code'],
    reason: asText(record['reason']) ?? '',
    message: oneLine(asText(record['message']) ?? ''),
    about: details === null ? null : readAbout(details),
    causes: details === null ? [] : readCauses(details),
  }
}

function readAbout(details: JsonRecord): Status['about'] {
  const name = asText(details['name'])
  return name === null ? null : { kind: asText(details['kind']) ?? '', name }
}

function readCauses(details: JsonRecord): readonly Cause[] {
  const causes = Array.isArray(details['causes']) ? details['causes'].map(asRecord) : []
  return causes.map((cause) => ({
    reason: asText(cause?.['reason']) ?? '',
    field: asText(cause?.['field']) ?? '',
  }))
}

/** A server, or a proxy before it, may quote what it was sent. */
const CREDENTIALS = /\bBearer\s+\S+|\beyJ[\w-]+(?:\.[\w-]+)*/giu

function oneLine(text: string): string {
  const line = text
    .replaceAll(CREDENTIALS, '‹redacted›')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line
}
