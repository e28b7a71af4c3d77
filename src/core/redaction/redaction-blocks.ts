import type { RedactionKind } from './redaction-rules.ts'
import { isDigest } from './redaction-secret.ts'

/** Secrets that span several lines. `hides` is what the current line is part of. */
export type Block = {
  readonly hides: RedactionKind
  readonly linesLeft: number
  /** A foreign line came in between, as when several programs write to one log. */
  readonly isInterrupted: boolean
}

export const OUTSIDE: Block = { hides: 'private-key', linesLeft: 0, isInterrupted: false }

const LONGEST: Readonly<Partial<Record<RedactionKind, number>>> = {
  'private-key': 400,
  'job-message': 100_000,
  base64: 100_000,
}
/** How many foreign lines may come before the rest of a key. */
const INTERRUPTED_LINES = 50
/** The line lengths of openssl and base64. */
const WRAPPED_AT = 60

/** The block after a line that does not belong to it. */
export function openBlock(block: Block, content: string): Block {
  if (/Job message:\s*$/.test(content)) return begin('job-message')
  const start = content.lastIndexOf('-----BEGIN ')
  const isOpenKey = start >= 0 && /^-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?!.*-----END )/s.test(content.slice(start))
  if (isOpenKey) return begin('private-key')
  if (isWrappedBase64(content)) return begin('base64')
  if (block.hides !== 'private-key' || block.linesLeft === 0) return OUTSIDE
  return { ...block, isInterrupted: true, linesLeft: Math.min(block.linesLeft, INTERRUPTED_LINES) - 1 }
}

function begin(hides: RedactionKind): Block {
  return { hides, linesLeft: LONGEST[hides] ?? 0, isInterrupted: false }
}

/** The block with this line, or null if the line does not belong to it. */
export function continueBlock(block: Block, content: string): Block | null {
  if (block.linesLeft === 0 || !belongs(block, content)) return null
  return { ...block, linesLeft: isLast(block, content) ? 0 : block.linesLeft - 1 }
}

function belongs(block: Block, content: string): boolean {
  if (block.hides === 'job-message') return isJobMessageLine(content)
  if (block.hides === 'base64') return /^(?![0-9a-f]+$)[A-Za-z0-9+/]{4,}={0,2}$/.test(content) && !isDigest(content)
  // After a foreign line, a single word on a line is more likely foreign too.
  const bare = content.trim()
  return isKeyLine(bare) && (!block.isInterrupted || /^[A-Za-z0-9+/]{12,}={0,2}$|-----END /.test(bare))
}

function isLast(block: Block, content: string): boolean {
  if (block.hides === 'job-message') return /^\s?\}\s*$/.test(content)
  return block.hides === 'base64' ? content.length < WRAPPED_AT : content.includes('-----END ')
}

/** The runner prints it indented; the first line has one space before the brace, the last has none. */
function isJobMessageLine(content: string): boolean {
  return /^(?:\s|[{}]\s*$)/.test(content)
}

/** Trims without a regex: a pattern for both sides is quadratic on a line of spaces. */
function isKeyLine(bare: string): boolean {
  return /^(?:[A-Za-z0-9+/=]*|Proc-Type:.*|DEK-Info:.*|-----END [A-Z ]*PRIVATE KEY-----.*)$/.test(bare)
}

/** A line of a key or JIT configuration whose first line is elsewhere. Hexadecimal digests do not count. */
export function isWrappedBase64(content: string): boolean {
  if (!/^[A-Za-z0-9+/]{60,}={0,2}$/.test(content) || isPath(content)) return false
  return /[A-Z]/.test(content) && /[a-z]/.test(content) && !isDigest(content)
}

/** In base64, about every 64th character is a slash. */
function isPath(content: string): boolean {
  return content.startsWith('/') && content.split('/').length > content.length / 16
}
