/**
 * Text from the world (names, messages, log lines) as a terminal may show it: an escape sequence in a pod's annotation
 * must not move the reader's cursor. Line breaks become spaces.
 */
export function printable(text: string): string {
  return text
    .replaceAll(/[\r\n\t]+/g, ' ')
    .replaceAll(
      /[\p{Cc}\p{Bidi_Control}]/gu,
      (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    )
}
