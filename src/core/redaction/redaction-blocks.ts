import { characters, runEnd } from './shapes/characters.ts'
import type { RedactionKind } from './shapes/redaction-kinds.ts'
import { isDigest } from './values/digests.ts'

/** Secrets that span several lines. `hides` is what the current line is part of. */
export type Block = {
  readonly hides: RedactionKind
  readonly linesLeft: number
  /** A foreign line came in between, as when several programs write to one log. */
  readonly isInterrupted: boolean
  /** How many words stand before the first line of a key: what a program writes before each line. */
  readonly wordsBefore: number
}

export const OUTSIDE: Block = { hides: 'private-key', linesLeft: 0, isInterrupted: false, wordsBefore: 0 }
const LONGEST: Readonly<Partial<Record<RedactionKind, number>>> = {
  'private-key': 400,
  'job-message': 100_000,
  base64: 100_000,
}
/** How many foreign lines may come before the rest of a key. */
const INTERRUPTED_LINES = 50
/** The line lengths of openssl and base64. */
const WRAPPED_AT = 60

const OPEN_KEY = /^-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/

/** The block after a line that does not belong to it. */
export function openBlock(block: Block, content: string): Block {
  if (/Job message:\s*$/.test(content.slice(-64))) return begin('job-message')
  const start = content.lastIndexOf('-----BEGIN ')
  const isOpenKey =
    start >= 0 && OPEN_KEY.test(content.slice(start, start + 64)) && !content.includes('-----END ', start)
  if (isOpenKey) return { ...begin('private-key'), wordsBefore: countWords(content.slice(0, start)) }
  if (isWrappedBase64(content)) return begin('base64')
  if (block.hides !== 'private-key' || block.linesLeft === 0) return OUTSIDE
  return { ...block, isInterrupted: true, linesLeft: Math.min(block.linesLeft, INTERRUPTED_LINES) - 1 }
}

function begin(hides: RedactionKind): Block {
  return { hides, linesLeft: LONGEST[hides] ?? 0, isInterrupted: false, wordsBefore: 0 }
}

/** The block with this line and the part of the line that it takes, or null if the line does not belong to it. */
export function continueBlock(block: Block, content: string): { readonly block: Block; readonly from: number } | null {
  if (block.linesLeft === 0) return null
  const from = partOf(block, content)
  if (from < 0) return null
  const isEnd = isLast(block, content.slice(from))
  return { block: { ...block, linesLeft: isEnd ? 0 : block.linesLeft - 1 }, from }
}

/** Where the block's part of the line begins, or -1. */
function partOf(block: Block, content: string): number {
  if (block.hides === 'job-message') return isJobMessageLine(content) ? 0 : -1
  if (block.hides === 'base64') return isBase64Line(content) ? 0 : -1
  // After a foreign line, a single word on a line is more likely foreign too.
  const bare = content.trim()
  if (isKeyLine(bare) && (!block.isInterrupted || isBase64(bare, 12) || bare.includes('-----END '))) return 0
  return prefixedPartOf(block, content)
}

/** What a program that we do not know writes before each line has as many words as before the first. */
function prefixedPartOf(block: Block, content: string): number {
  if (block.wordsBefore === 0) return -1
  const end = content.indexOf('-----END ')
  const from = end >= 0 ? end : content.trimEnd().lastIndexOf(' ') + 1
  const last = content.slice(from).trim()
  const isPart = end >= 0 || isBase64(last, 24) || (isBase64(last, 4) && last.endsWith('=')) || last === ''
  return isPart && countWords(content.slice(0, from)) === block.wordsBefore ? from : -1
}

function countWords(text: string): number {
  return text.split(' ', 64).filter((word) => word !== '').length
}

function isLast(block: Block, content: string): boolean {
  if (block.hides === 'job-message') return /^\s?\}\s*$/.test(content.slice(0, 64))
  return block.hides === 'base64' ? content.length < WRAPPED_AT : content.includes('-----END ')
}

/** The runner prints it indented; the first line has one space before the brace, the last has none. */
function isJobMessageLine(content: string): boolean {
  return /^(?:\s|[{}]\s{0,8}$)/.test(content)
}

function isKeyLine(bare: string): boolean {
  return (
    isBase64(bare, 0) || /^(?:Proc-Type:|DEK-Info:|Comment:|Version:|-----END [A-Z0-9 ]{0,32}PRIVATE KEY)/.test(bare)
  )
}

const BASE64 = characters('A-Za-z0-9+/')

/** At least so many characters of base64 and nothing else; `=XXXX` ends a key of PGP. */
function isBase64(text: string, least: number): boolean {
  const start = text.startsWith('=') && text.length === 5 ? 1 : 0
  const end = runEnd(text, start, BASE64)
  if (end - start < least && start === 0) return false
  return end === text.length || /^={1,2}$/.test(text.slice(end, end + 3))
}

function isBase64Line(content: string): boolean {
  return isBase64(content, 4) && !/^[0-9a-f]{0,128}$/.test(content) && !isDigest(content)
}

/** A line of a key or JIT configuration whose first line is elsewhere. Hexadecimal digests do not count. */
export function isWrappedBase64(content: string): boolean {
  if (!isBase64(content, WRAPPED_AT) || isPath(content)) return false
  return /[A-Z]/.test(content) && /[a-z]/.test(content) && !isDigest(content)
}

/** In base64, about every 64th character is a slash. */
function isPath(content: string): boolean {
  return content.startsWith('/') && content.split('/').length > content.length / 16
}
