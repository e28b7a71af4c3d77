export type JsonReading =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly why: string }

/** The parser's message without the text that it quotes, which may be a secret. */
export function parseJson(text: string): JsonReading {
  try {
    return { kind: 'parsed', value: JSON.parse(text) as unknown }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'not JSON'
    return { kind: 'malformed', why: message.replace(/, (?:\.\.\.)?".*is not valid JSON$/s, ' in JSON') }
  }
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
