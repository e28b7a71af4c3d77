import { characters, isMember, runEnd } from '#/core/redaction/shapes/characters.ts'
import { endOfLine } from '#/core/redaction/shapes/line-ends.ts'
import type { Finder } from './finder.ts'

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/y
const END = /-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/

/** A key on one line, or its beginning. The first without an end takes the rest of the line, so no place is read twice. */
export const privateKeys: Finder = {
  literals: ['-----BEGIN '],
  find: (text, at) => {
    BEGIN.lastIndex = at
    if (!BEGIN.test(text)) return null
    const line = text.slice(at, endOfLine(text, at))
    const [end] = END.exec(line) ?? []
    const to = end === undefined ? line.length : line.indexOf(end) + end.length
    return { from: at, to: at + to, kind: 'private-key' }
  },
}

/** The runner's job message on one line: it holds everything that the workflow was given. */
export const jobMessages: Finder = {
  literals: ['job message:'],
  find: (text, at) => {
    const brace = text.startsWith('{', at + 12) ? at + 12 : at + 13
    const isMessage = text.startsWith('Job message:', at) && text.charAt(brace) === '{'
    return isMessage ? { from: brace, to: endOfLine(text, brace), kind: 'job-message' } : null
  },
}

const AWS_ID = /A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9/+])/y
const BASE64 = characters('A-Za-z0-9/+')
const WORD = characters('A-Za-z0-9_/+=')
const FAR = 64
const SECRET_LENGTH = 40

/** The secret half of a pair has no form of its own: forty characters soon after the id. */
export const awsSecrets: Finder = {
  literals: ['akia', 'asia'],
  find: (text, at) => {
    AWS_ID.lastIndex = at
    if (!AWS_ID.test(text)) return null
    const first = AWS_ID.lastIndex
    for (let from = first + 1; from <= first + FAR + 1 && from < text.length; from += 1) {
      if (!isMember(text, from, BASE64) || isMember(text, from - 1, WORD)) continue
      const to = runEnd(text, from, BASE64, SECRET_LENGTH + 1)
      if (to - from === SECRET_LENGTH && !isMember(text, to, WORD)) return { from, to, kind: 'aws-key' }
      from = to
    }
    return null
  },
}
