/** Whether a value was generated, and is no hash or name that a reader needs. Reads a bounded part of the value. */

const READ = 160
const SHORTEST = 16

/** Hashes, digests, ids of images, containers, commits and objects, times, versions, addresses, paths. */
const READABLE =
  /^(?:[0-9a-f]+|[0-9A-F]+|0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:sha|md|blake)\w*[:=-].*|[\d.:,TZ+_-]+|v?\d+\.\d.*|[~.]{0,2}\/.*|[a-z][\w+.-]*:\/\/.*|(?:[a-z0-9]+[-.:@/])+[a-z0-9]*)$/is

/** For a name that may well be no secret's. */
export function looksRandom(value: string): boolean {
  const text = value.slice(0, READ).replace(/[,;.)}\]]{1,8}$/, '')
  if (text.length < SHORTEST || READABLE.test(text) || !/^[\w+/=.~!@#$%^&*:-]+$/.test(text)) return false
  const counts = countKinds(text)
  if (counts.digits === 0 || counts.letters === 0 || isPathLike(text)) return false
  const isMixed = counts.upper > 0 && counts.lower > 0
  if (entropy(text) < (isMixed ? 3.3 : 3.5)) return false
  return isMixed ? counts.inWords / text.length < 0.45 : counts.digits >= 3 && counts.longestWord <= 10
}

/** For a name that says secret: prose has words after a colon (`token: expired`); padding ends base64. */
export function looksGenerated(value: string): boolean {
  const text = value.slice(0, READ)
  if (/^[A-Za-z0-9+/]{12,160}={1,2}$/.test(text)) return true
  return (
    /^(?=.{0,160}\d)(?=.{0,160}[A-Za-z]).{8}/.test(text) && !/^(?:\/|\d{4}-\d\d-\d\d)/.test(text) && !isPathLike(text)
  )
}

function isPathLike(text: string): boolean {
  const parts = text.split('/')
  return parts.length > 2 && parts.filter((part) => /^[a-z][a-z._-]*$/i.test(part)).length * 2 > parts.length
}

type Kinds = {
  readonly digits: number
  readonly letters: number
  readonly upper: number
  readonly lower: number
  /** Letters of one case that follow each other, four or more: words, not chance. */
  readonly inWords: number
  readonly longestWord: number
}

function countKinds(text: string): Kinds {
  const upper = text.match(/[A-Z]/g)?.length ?? 0
  const lower = text.match(/[a-z]/g)?.length ?? 0
  const words = text.match(/[A-Z]{4,}|[a-z]{4,}/g) ?? []
  return {
    digits: text.match(/\d/g)?.length ?? 0,
    letters: upper + lower,
    upper,
    lower,
    inWords: words.reduce((sum, word) => sum + word.length, 0),
    longestWord: words.reduce((longest, word) => Math.max(longest, word.length), 0),
  }
}

/** Shannon's, in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}
