export type JsonRecord = Readonly<Record<string, unknown>>

export function asRecord(value: unknown): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
