/** Reads documents of other programs: a field that is missing or of another type is null, never a crash. */
export type Fields = Readonly<Record<string, unknown>>

export function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** A plain loop, because a large fleet calls it millions of times. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let inner = value
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return undefined
    inner = (inner as Fields)[key]
  }
  return inner
}

export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path)
  return typeof found === 'string' && found !== '' ? found : null
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path)
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? (found as readonly unknown[]) : []
}

/** RFC 3339, to milliseconds. Kubernetes prints 1970 for a container that never started: that counts as no time. */
export function timeAt(value: unknown, ...path: readonly string[]): number | null {
  const text = textAt(value, ...path)
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) || time <= 0 ? null : time
}
