import { visible } from '#/core/basics/visible.ts'

/** Text from the world (names, messages, log lines) as a terminal may show it. Line breaks become spaces. */
export function printable(text: string): string {
  return visible(text.replaceAll(/[\r\n\t]+/g, ' '))
}
