/**
 * Control characters, and those that turn the reading direction, as they are written in JSON: an escape sequence in a
 * text of the world must not move the cursor of whoever reads it.
 */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
