import { isWithinJsonBounds } from '#/core/basics/json-bounds.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { answerHead } from './answer.ts'
import type { AnswerHead } from './answer.ts'

/** What an agent sends: the first line, and the bytes after it. */
export type RawAnswer = { readonly kind: 'answered'; readonly head: AnswerHead; readonly rest: Uint8Array }

const LINE_FEED = 0x0a
const BRACE = 0x7b
/** The counters of 200 containers are about 15,000. */
const HEAD_BOUNDS = { mostTokens: 50_000, deepest: 16 }

export function writeAnswer(head: AnswerHead, rest: Uint8Array = new Uint8Array()): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), rest])
}

/** Null if it is not an answer. */
export function readAnswer(body: Buffer): RawAnswer | null {
  const feed = body.indexOf(LINE_FEED)
  const end = feed < 0 ? body.length : feed
  if (body[0] !== BRACE || !isWithinJsonBounds(body.subarray(0, end), HEAD_BOUNDS)) return null
  const reading = parseJson(body.toString('utf8', 0, end))
  const checked = reading.kind === 'malformed' ? null : answerHead.safeParse(reading.value)
  return checked?.success === true
    ? { kind: 'answered', head: checked.data, rest: body.subarray(Math.min(end + 1, body.length)) }
    : null
}
