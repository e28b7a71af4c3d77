import type { SourceFile } from './source-files.ts'

export type Replaced = { readonly word: string; readonly by: string }

/** The words that the glossary's last column marks with `*`, each with the term that replaces it. */
export function readReplaced(glossary: string): readonly Replaced[] {
  return glossary
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .flatMap(([, term = '', , not = '']) =>
      not
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word.endsWith('*'))
        .map((word) => ({ word: word.slice(0, -1).toLowerCase(), by: term })),
    )
}

/** `toldApart`, `TOLD_APART` and `told-apart` are all two words. */
export function splitWords(line: string): readonly string[] {
  return line
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
}

/** Lines that use a replaced word; `isForeign` exempts text that other programs write. */
export function findReplaced(
  file: SourceFile,
  replaced: readonly Replaced[],
  isForeign: (line: string, word: string) => boolean = () => false,
): readonly string[] {
  return [file.path, ...file.lines].flatMap((line, number) => {
    const text = ` ${splitWords(line).join(' ')} `
    return replaced
      .filter(({ word }) => text.includes(` ${word} `) && !isForeign(line, word))
      .map(({ word, by }) => `${file.path}:${number}: "${word}" is called "${by}" here`)
  })
}
