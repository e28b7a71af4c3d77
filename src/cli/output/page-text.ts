import { printable } from '#/cli/output/printable.ts'

/** Foreign text inside a paragraph of a generated page. Incident report numbers are removed: readers do not have the reports. */
export function prose(text: string): string {
  return withoutHosts(printable(text))
    .replaceAll(/\bReport \d{3}: /g, 'Often said: ')
    .replaceAll(/ \(report \d{3}\)/g, '')
    .replaceAll(/[\\`*_<[\]]/g, String.raw`\$&`)
}

/** The project must not contain registry host names, but the log of a failed build does. */
export function withoutHosts(text: string): string {
  return text.replaceAll(/\bregistry\.(?:npmjs|yarnpkg)\.(?:org|com)\b/g, 'registry.example')
}
