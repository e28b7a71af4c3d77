import type { Blind } from '#/core/basics/observed.ts'
import { blind } from '#/core/basics/observed.ts'
import type { JsonRecord } from './record.ts'
import { asRecord } from './record.ts'

export type Parsed = { readonly kind: 'parsed'; readonly value: JsonRecord }

/** A JSON object, or why it is none: cut off, or something else altogether. */
export function parseJson(text: string, what: string): Parsed | Blind {
  const trimmed = text.trim()
  if (trimmed === '') return blind('malformed', `${what}: the answer is empty`)
  if (trimmed.startsWith('<')) return blind('malformed', `${what}: the answer is HTML, perhaps from a proxy`)
  const parsed = tryParse(trimmed)
  if (parsed.kind === 'value') {
    const value = asRecord(parsed.value)
    return value === null ? blind('malformed', `${what}: the answer is JSON and no object`) : { kind: 'parsed', value }
  }
  return parsed.cut
    ? blind('truncated', `${what}: the answer ends in the middle`)
    : blind('malformed', `${what}: the answer is not JSON`)
}

type Attempt = { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'broken'; readonly cut: boolean }

function tryParse(text: string): Attempt {
  try {
    return { kind: 'value', value: JSON.parse(text) as unknown }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { kind: 'broken', cut: text.startsWith('{') && breaksAtTheEnd(text, error.message) }
  }
}

/** V8 names the position of what it did not expect; at the very end it expected more. */
function breaksAtTheEnd(text: string, message: string): boolean {
  if (!text.endsWith('}')) return true
  const [, position = null] = /position (\d+)/u.exec(message) ?? []
  return position === null ? message.includes('end of JSON input') : Number(position) >= text.length
}
