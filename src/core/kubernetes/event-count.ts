import type { EventFacts } from './event-facts.ts'

/**
 * How often an event happened since a given time. An aggregated event has its first and last time and a count, so the
 * part before that time is estimated evenly.
 */
export function countSince({ firstAt, lastAt, count }: EventFacts, since: number): number {
  if (lastAt === null || lastAt < since) return 0
  if (firstAt === null) return 1
  const times = Math.max(1, count)
  if (firstAt >= since) return times
  return 1 + Math.floor(((times - 1) * (lastAt - since)) / (lastAt - firstAt))
}
