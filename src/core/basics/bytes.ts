/** The form that `parseBytes` accepts, for messages. */
export const BYTES_FORM = 'a number of bytes or with a unit, for example 500MB, 512Mi or 2GiB'

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  Ki: 2 ** 10,
  KiB: 2 ** 10,
  Mi: 2 ** 20,
  MiB: 2 ** 20,
  Gi: 2 ** 30,
  GiB: 2 ** 30,
  Ti: 2 ** 40,
  TiB: 2 ** 40,
}

/** A whole number of bytes, or null. Binary units may be in Kubernetes form (`2Gi`). */
export function parseBytes(text: string): number | null {
  const match = /^(\d{1,16}(?:\.\d{1,6})?)([A-Za-z]{0,3})$/.exec(text)
  const unit = match && Object.hasOwn(UNITS, match[2] ?? '') ? UNITS[match[2] ?? ''] : undefined
  if (!match || unit === undefined) return null
  const bytes = Math.round(Number(match[1]) * unit)
  return Number.isSafeInteger(bytes) ? bytes : null
}

/** For people: at most one digit after the point, in binary units. */
export function formatBytes(bytes: number): string {
  const unit = ['TiB', 'GiB', 'MiB', 'KiB'].find((name) => bytes >= (UNITS[name] ?? Infinity))
  if (unit === undefined) return `${Math.round(bytes)}B`
  return `${Math.round((bytes / (UNITS[unit] ?? 1)) * 10) / 10}${unit}`
}
