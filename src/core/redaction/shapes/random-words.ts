import { characters, isMember, runEnd } from './characters.ts'

const WORD = characters('A-Za-z0-9+/_-')
/** Shorter ones are names with a suffix, request ids, mangled symbols. */
const SHORTEST = 32
/** The part of a longer word that is judged. */
const READ = 160

export type RandomWord = { readonly from: number; readonly to: number }

/**
 * The next word of at least 32 characters that looks drawn by chance from capitals, small letters and digits: what issuers
 * that no table knows make their keys of. Digests stay: those in hexadecimal or upper case have one case only, those in
 * base64 have their prefix or their length and padding.
 */
export function nextRandomWord(text: string, from: number): RandomWord | null {
  let start = from
  while (start + SHORTEST <= text.length) {
    const outside = lastOutside(text, start)
    if (outside >= 0) {
      start = outside + 1
      continue
    }
    const to = runEnd(text, start + SHORTEST, WORD)
    if (isRandom(text, start, to)) return { from: start, to }
    start = to + 1
  }
  return null
}

/** The last of the next characters that no word can have, or -1. */
function lastOutside(text: string, start: number): number {
  for (let at = start + SHORTEST - 1; at >= start; at -= 1) if (!isMember(text, at, WORD)) return at
  return -1
}

function isRandom(text: string, from: number, to: number): boolean {
  const counts = countKinds(text, from, Math.min(to, from + READ))
  const { length, digits, upper, lower, inWords, separators } = counts
  const isMixed = digits * 14 >= length && upper * 6 >= length && lower * 6 >= length
  if (!isMixed || inWords * 20 > length * 9 || separators * 6 > length) return false
  return !isDigest(text, from, to) && !isOtherName(text, from, to)
}

type Kinds = Readonly<Record<'length' | 'digits' | 'upper' | 'lower' | 'inWords' | 'separators', number>>

/** In words: letters of one case that follow each other, four or more. */
function countKinds(text: string, from: number, to: number): Kinds {
  const counts = { length: to - from, digits: 0, upper: 0, lower: 0, inWords: 0, separators: 0 }
  let last: keyof Kinds = 'separators'
  let run = 0
  for (let at = from; at < to; at += 1) {
    const kind = kindOf(text.charCodeAt(at))
    counts[kind] += 1
    run = kind === last ? run + 1 : 1
    last = kind
    if (kind === 'upper' || kind === 'lower') counts.inWords += run === 4 ? 4 : run > 4 ? 1 : 0
  }
  return counts
}

function kindOf(code: number): 'digits' | 'upper' | 'lower' | 'separators' {
  if (code >= 0x61) return 'lower'
  if (code >= 0x41 && code <= 0x5a) return 'upper'
  return code >= 0x30 && code <= 0x39 ? 'digits' : 'separators'
}

/** Base64 of the digests that tools print: SHA-1, SHA-256, SHA-384, SHA-512, with padding or behind their name. */
function isDigest(text: string, from: number, to: number): boolean {
  const length = to - from
  const isPadded = text.charAt(to) === '='
  if (isPadded && (length === 43 || length === 86)) return true
  return (
    /^(?:sha|md|blake)\d/i.test(text.slice(from, from + 8)) ||
    /(?:sha\d{1,3}|md5|h1)[:=]$/i.test(text.slice(from - 8, from))
  )
}

/** Mangled symbols, names of files, data in a URL, addresses: long, mixed and public. */
function isOtherName(text: string, from: number, to: number): boolean {
  const start = text.slice(from, from + 4)
  if (/^(?:_ZN?|_R|__Z|\$s|ssh-|AAAA|c2hh)/.test(start) || /^\.[a-z]/i.test(text.slice(to, to + 2))) return true
  return /(?:base64,|fingerprint\W{1,4}|\bid\W{1,4}|etag\W{1,4}|nonce\W{1,4}|public\W{1,4}|cert\W{1,4})$/i.test(
    text.slice(Math.max(0, from - 16), from),
  )
}
