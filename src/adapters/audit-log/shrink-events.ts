import { at, toFields } from '#/core/basics/fields.ts'
import { essence } from './audit-log-receiver.ts'
import { printEvent } from './print-event.ts'

const MOST_EVENTS = 100_000

/** What the API server sent, with of each event only what is kept: for a caller who must not hold the rest. */
export function shrinkEvents(body: Uint8Array): unknown {
  const list = parse(body)
  const items = at(list, 'items')
  if (!Array.isArray(items) || items.length > MOST_EVENTS) return null
  const { kind, apiVersion } = toFields(list)
  return { kind, apiVersion, items: items.map(shrink) }
}

/** What is no event stays what it is, so that the whole list is refused as before. */
function shrink(event: unknown): unknown {
  const isObject = typeof event === 'object' && event !== null && !Array.isArray(event)
  return isObject ? (JSON.parse(printEvent(essence(event))) as unknown) : null
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown
  } catch {
    return null
  }
}
