import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { printTime } from '#/core/basics/print-time.ts'
import type { Window } from './asked.ts'

/** One fact that supports an interruption. */
export type Sign = { readonly at: number; readonly text: string }

export function isIn(at: number | null, { from, to }: Window): at is number {
  return at !== null && at >= from && at <= to
}

/** An aggregated event may have happened at any time between its first and its last. */
export function isEventIn({ firstAt, lastAt, count }: EventFacts, window: Window): boolean {
  if (isIn(firstAt, window) || isIn(lastAt, window)) return true
  return count > 1 && firstAt !== null && lastAt !== null && firstAt < window.from && lastAt > window.to
}

export function eventSign(event: EventFacts, window: Window): Sign {
  const at = isIn(event.lastAt, window) ? event.lastAt : (event.firstAt ?? window.from)
  const about = `${event.kind ?? 'object'} ${event.namespace === null ? '' : `${event.namespace}/`}${event.name ?? ''}`
  const times = event.count > 1 ? ` (${event.count} times)` : ''
  return { at, text: `${printTime(at)} event ${event.reason} on ${about}${times}: ${event.message.slice(0, 300)}` }
}

/** How many signs are printed; the rest is counted. */
const SHOWN = 8

export function printSigns(signs: readonly Sign[]): readonly string[] {
  const texts = [...new Set(signs.toSorted((a, b) => a.at - b.at).map(({ text }) => text))]
  return texts.length > SHOWN ? [...texts.slice(0, SHOWN), `and ${texts.length - SHOWN} more`] : texts
}
