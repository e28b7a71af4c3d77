import { characters, isMember } from './characters.ts'
import { CUT } from './line-ends.ts'

/** Longer lines are cut before anything is searched in them: nobody reads that far, and a hostile line must not cost time. */
export const LONGEST_LINE = 64 * 1024
/** A line that was cut may have grown by the marks in it. */
const LONGEST_CUT_LINE = 8 * LONGEST_LINE

const PART_OF_TOKEN = characters(String.raw`^\s"'\`,;&|<>(){}[\]`)

/** The text with every line cut that is too long. A word that the cut would split is left out: half a secret has no shape. */
export function cutLongLines(text: string): string {
  if (text.length <= LONGEST_LINE) return text
  let cut = ''
  let done = 0
  for (let start = 0; start <= text.length;) {
    const feed = text.indexOf('\n', start)
    const end = feed < 0 ? text.length : feed
    if (isTooLong(text, start, end)) {
      cut += `${text.slice(done, endOfWords(text, start))}${CUT}`
      done = end
    }
    start = end + 1
  }
  return done === 0 ? text : cut + text.slice(done)
}

function isTooLong(text: string, start: number, end: number): boolean {
  if (end - start <= LONGEST_LINE) return false
  return end - start > LONGEST_CUT_LINE || !text.startsWith(CUT, end - CUT.length)
}

function endOfWords(text: string, start: number): number {
  let end = start + LONGEST_LINE - CUT.length
  while (end > start && isMember(text, end - 1, PART_OF_TOKEN)) end -= 1
  return end
}
