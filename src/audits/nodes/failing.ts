import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { countSince } from '#/core/kubernetes/event-count.ts'

/** One thing that a node needs to boot and that failed, with how often it failed recently. */
export type Failing = { readonly what: string; readonly times: number; readonly message: string | null }

export function countFailing(what: string, events: readonly EventFacts[], since: number): Failing {
  let last: EventFacts | null = null
  let times = 0
  for (const event of events) {
    times += countSince(event, since)
    if (last === null || (event.lastAt ?? 0) > (last.lastAt ?? 0)) last = event
  }
  return { what, times, message: last === null || last.message === '' ? null : last.message }
}
