import { characters, isMember } from '#/core/redaction/shapes/characters.ts'
import { CREDENTIAL_FORMATS } from '#/core/redaction/formats/index.ts'
import type { CredentialFormat } from '#/core/redaction/formats/credential-format.ts'
import { matchShape, parseShape, remembering } from '#/core/redaction/shapes/shape.ts'
import type { Finder } from './finder.ts'

const WORD_BEFORE = characters('A-Za-z0-9_+/-')
const WORD_AFTER = characters('A-Za-z0-9_')

/** One finder for each shape of the table. */
export const FORMAT_FINDERS: readonly Finder[] = CREDENTIAL_FORMATS.flatMap((format) =>
  format.shapes.map((notation) => formatFinder(format, notation)),
)

function formatFinder(format: CredentialFormat, notation: string): Finder {
  const memory = remembering(parseShape(notation))
  const { literal } = memory.shape
  const kept = format.keepsLiteral === true ? literal.length : 0
  return {
    literals: [literal],
    find: (text, at, { id }) => {
      const match = matchShape(memory, text, at, id)
      if (match === null || (format.isWord === true && (match.isCut || !standsAlone(text, match)))) return null
      const to = withoutFullStop(text, match.to)
      return { from: match.from + kept, to, kind: format.kind ?? 'credential' }
    },
  }
}

function standsAlone(text: string, { from, to }: { from: number; to: number }): boolean {
  return (!isMember(text, from - 1, WORD_BEFORE) || isEscape(text, from - 1)) && !isMember(text, to, WORD_AFTER)
}

/** The letter of `\n` or `\t`. */
function isEscape(text: string, at: number): boolean {
  return at > 0 && text.charCodeAt(at - 1) === 0x5c && /[nrt]/.test(text.charAt(at))
}

/** The end of a sentence, not of the value. */
function withoutFullStop(text: string, to: number): number {
  return text.charCodeAt(to - 1) === 0x2e ? to - 1 : to
}
