import type { RedactionKind } from '#/core/redaction-rules.ts'

/** Secrets that go over several lines. `hides` is what the present line is part of. */
export type Block = { readonly hides: RedactionKind; readonly linesLeft: number }

export const OUTSIDE: Block = { hides: 'private-key', linesLeft: 0 }

const PRIVATE_KEY_LINES = 400
const JOB_MESSAGE_LINES = 100_000

/** The block that begins after this line. */
export function openBlock(content: string): Block {
  if (/Job message:\s*$/.test(content)) return { hides: 'job-message', linesLeft: JOB_MESSAGE_LINES }
  const begin = content.lastIndexOf('-----BEGIN ')
  const isOpenKey = begin >= 0 && /^-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?!.*-----END )/s.test(content.slice(begin))
  return isOpenKey ? { hides: 'private-key', linesLeft: PRIVATE_KEY_LINES } : OUTSIDE
}

/** The block with this line in it, or null where the line is no part of it. */
export function continueBlock(block: Block, content: string): Block | null {
  if (block.linesLeft === 0) return null
  const belongs = block.hides === 'job-message' ? isJobMessageLine(content) : isKeyLine(content)
  if (!belongs) return null
  const isLast = block.hides === 'job-message' ? /^\s?\}\s*$/.test(content) : content.includes('-----END ')
  return { ...block, linesLeft: isLast ? 0 : block.linesLeft - 1 }
}

/** The runner prints it indented; the first line has one blank before the brace, the last has none. */
function isJobMessageLine(content: string): boolean {
  return /^(?:\s|[{}]\s*$)/.test(content)
}

function isKeyLine(content: string): boolean {
  return /^\s*(?:[A-Za-z0-9+/=]*|Proc-Type:.*|DEK-Info:.*|-----END [A-Z ]*PRIVATE KEY-----.*)\s*$/.test(content)
}
