import { printable } from '#/cli/output/printable.ts'

/** Text of others inside a paragraph of a generated page. The numbers of the incident reports mean something only to who has them. */
export function prose(text: string): string {
  return withoutHosts(printable(text))
    .replaceAll(/\bReport \d{3}: /g, 'Often said: ')
    .replaceAll(/ \(report \d{3}\)/g, '')
    .replaceAll(/[\\`*_<[\]]/g, String.raw`\$&`)
}

/** Nothing in the project names the host of a package registry, and the log of a failed build does. */
export function withoutHosts(text: string): string {
  return text.replaceAll(/\bregistry\.(?:npmjs|yarnpkg)\.(?:org|com)\b/g, 'registry.example')
}
