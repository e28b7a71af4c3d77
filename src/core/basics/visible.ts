/**
 * Escapes control and bidirectional characters as JSON does: an escape sequence in external text must not move the
 * cursor of the reader's terminal.
 */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
