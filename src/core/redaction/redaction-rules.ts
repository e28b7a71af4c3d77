import { isMember, characters } from './shapes/characters.ts'
import type { Span } from './finders/finder.ts'
import { nextLongRun } from './shapes/long-runs.ts'
import { nextRandomWord } from './shapes/random-words.ts'
import { mark } from './shapes/redaction-kinds.ts'
import { findSecrets } from './secret-search.ts'

/** Replaces everything in a line that looks like a secret. */
export function applyRules(line: string): string {
  return hideRandomWords(hideEncoded(hideSpans(line, findSecrets(line)), 0))
}

function hideSpans(line: string, spans: readonly Span[]): string {
  let hidden = ''
  let done = 0
  for (const { from, to, kind } of spans) {
    hidden += `${line.slice(done, from)}${mark(kind)}`
    done = to
  }
  return done === 0 ? line : hidden + line.slice(done)
}

function hideRandomWords(line: string): string {
  const spans: Span[] = []
  for (let word = nextRandomWord(line, 0); word !== null; word = nextRandomWord(line, word.to))
    spans.push({ ...word, kind: 'credential' })
  return hideSpans(line, spans)
}

/** Each layer of base64 is a quarter shorter. */
const DEEPEST = 4
const PADDING = characters('=')

/** Base64 in which one of the rules finds something. */
function hideEncoded(line: string, depth: number): string {
  const spans: Span[] = []
  for (let run = nextLongRun(line, 0); run !== null; run = nextLongRun(line, run.to)) {
    if (!holdsSecret(decodeBase64(line.slice(run.from, run.to)), depth)) continue
    let { to } = run
    while (to < run.to + 2 && isMember(line, to, PADDING)) to += 1
    spans.push({ from: run.from, to, kind: 'base64' })
  }
  return hideSpans(line, spans)
}

function holdsSecret(text: string | null, depth: number): boolean {
  if (text === null || depth >= DEEPEST) return false
  return findSecrets(text).length > 0 || hideEncoded(text, depth + 1) !== text
}

/** The end of a truncated text means nothing and is dropped. */
function decodeBase64(text: string): string | null {
  const whole = text.length % 4 === 0 ? text : text.slice(0, text.length - (text.length % 4))
  try {
    return atob(whole)
  } catch {
    return null
  }
}
