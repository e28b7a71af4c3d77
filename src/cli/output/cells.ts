const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const

/** In one unit, like kubectl: `45s`, `3m`, `2h`, `5d`. */
export function shortAge(ms: number): string {
  const unit = UNITS.find(([, size]) => ms >= 2 * size)
  return unit === undefined ? `${Math.max(0, Math.floor(ms / 1000))}s` : `${Math.floor(ms / unit[1])}${unit[0]}`
}

/** Names of runners and service accounts differ at their ends. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text
  const end = Math.ceil((most - 1) * 0.6)
  return `${text.slice(0, most - 1 - end)}…${text.slice(-end)}`
}
