import { redactDocument } from './redaction-document.ts'
import { continueBlock, isWrappedBase64, openBlock, OUTSIDE } from './redaction-blocks.ts'
import type { Block } from './redaction-blocks.ts'
import { mark } from './shapes/redaction-kinds.ts'
import { applyRules } from './redaction-rules.ts'
import type { Digest } from './redaction-secret.ts'
import { cutLongLines } from './shapes/long-lines.ts'
import { hasTrigger, suspicionsIn } from './secret-search.ts'

/**
 * Strips tokens, JIT configurations, keys, the values of secret environment variables and the runner's job message from
 * the files of a bundle. Applying it twice changes nothing more; JSON stays JSON; text without a secret is unchanged.
 */
export function redactText(text: string, digest: Digest): string {
  return createTextRedactor(digest)(text)
}

/** A whole JSON document; anything else is treated as text. */
export function redactJson(text: string, digest: Digest): string {
  if (!mayHoldSecretInJson(text)) return text
  const redacted = redactDocument(text, { digest, redactText: (value) => redactText(value, digest) })
  return redacted ?? redactText(text, digest)
}

/** In JSON a secret may also be written in escapes or, in a message of the journal, as an array of bytes. */
function mayHoldSecretInJson(text: string): boolean {
  return hasTrigger(text) || /\\u00|\[\s{0,64}\d{1,3}\s{0,64},\s{0,64}\d{1,3}\s{0,64},/.test(text)
}

/** For consecutive lines: a private key and a job message span several. */
export function createLineRedactor(digest: Digest): (line: string) => string {
  return createTextRedactor(digest)
}

/** For consecutive pieces of a text, each of whole lines. Only lines in which something may need a change are looked at. */
export function createTextRedactor(digest: Digest): (lines: string) => string {
  let block = OUTSIDE
  return (lines) => {
    const text = cutLongLines(lines)
    const suspicion = suspicionsIn(text)
    let redacted = ''
    let done = 0
    for (let at = 0; at <= text.length;) {
      const next = block.linesLeft > 0 ? at : suspicion(at)
      if (next < 0) break
      at = next === 0 ? 0 : text.lastIndexOf('\n', next - 1) + 1
      const feed = text.indexOf('\n', at)
      const end = feed < 0 ? text.length : feed
      const line = text.slice(at, end)
      const answer = redactLine(line, block, digest)
      block = answer.block
      if (answer.line !== line) {
        redacted += `${text.slice(done, at)}${answer.line}`
        done = end
      }
      at = end + 1
    }
    return done === 0 ? text : redacted + text.slice(done)
  }
}

function redactLine(line: string, block: Block, digest: Digest): { readonly line: string; readonly block: Block } {
  const ending = line.endsWith('\r') ? '\r' : ''
  const content = withoutHeader(line.slice(0, line.length - ending.length))
  const header = line.slice(0, line.length - ending.length - content.length)
  const next = continueBlock(block, content)
  if (next !== null) {
    const hidden = `${content.slice(0, next.from)}${mark(block.hides)}`
    return { line: `${header}${hidden}${ending}`, block: next.block }
  }
  return { line: `${header}${redactContent(content, digest)}${ending}`, block: openBlock(block, content) }
}

/** The time stamps of kubectl and the CRI, journalctl's short-iso prefix, klog's header, that of the runner's trace. */
const HEADER =
  /^(?:\d{4}-\d\d-\d\dT\S{1,64} (?:std(?:out|err) [FP] )?)?(?:\S{1,256} \S{1,256}\[\d{1,10}\]: )?(?:[IWEF]\d{4} [\d:.]{15} {1,16}\d{1,10} \S{1,256}:\d{1,10}\] )?(?:\[(?:\w{1,64} )?\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ \S{1,64} {1,16}[^\]]{1,256}\] )?/

function withoutHeader(line: string): string {
  return line.slice(HEADER.exec(line)?.[0].length ?? 0)
}

function redactContent(content: string, digest: Digest): string {
  if (isWrappedBase64(content)) return mark('base64')
  const start = content.search(/\{\s{0,4}["}]|\[\s{0,4}["{[\d\]]/)
  const hasDocument = start >= 0 && /[\]}]\s{0,64}$/.test(content.slice(-65)) && !content.includes('Job message:')
  const redacted = hasDocument
    ? redactDocument(content.slice(start), { digest, redactText: (value) => redactText(value, digest) })
    : null
  return redacted === null ? applyRules(content) : `${applyRules(content.slice(0, start))}${redacted}`
}
