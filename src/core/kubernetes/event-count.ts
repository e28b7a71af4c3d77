import type { EventFacts } from './event-facts.ts'

/**
 * How often an event happened since a moment. One that was folded tells its first and last time and a count: what lies
 * before the moment is taken off evenly.
 */
export function countSince({ firstAt, lastAt, count }: EventFacts, since: number): number {
  if (lastAt === null || lastAt < since) return 0
  if (firstAt === null) return 1
  const times = Math.max(1, count)
  if (firstAt >= since) return times
  return 1 + Math.floor(((times - 1) * (lastAt - since)) / (lastAt - firstAt))
}
