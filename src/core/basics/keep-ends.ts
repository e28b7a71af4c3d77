/** A third for the beginning: a chain of errors ends with its cause. */
const HEAD = 1 / 3
const GAP = ' … '

/**
 * A long text by its two ends. Only for text that is redacted already: the end may have a secret without the word before it.
 */
export function keepEnds(text: string, longest: number): string {
  const clean = text.trim()
  if (clean.length <= longest) return clean
  const head = clean.slice(0, Math.floor(longest * HEAD)).replace(/\S+$/, '')
  const tail = clean.slice(-Math.ceil(longest * (1 - HEAD))).replace(/^\S+/, '')
  return `${head.trimEnd()}${GAP}${tail.trimStart()}`.trim()
}
