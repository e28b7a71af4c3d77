import { visible } from '#/core/basics/visible.ts'

/** Makes foreign text (names, messages, log lines) safe for a terminal. Line breaks become spaces. */
export function printable(text: string): string {
  return visible(text.replaceAll(/[\r\n\t]+/g, ' '))
}
