export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
