import { redactDocument } from './redaction-document.ts'
import { continueBlock, isWrappedBase64, openBlock, OUTSIDE } from './redaction-blocks.ts'
import { applyRules, mark, mayHoldSecret, mayHoldSecretInJson } from './redaction-rules.ts'
import type { Digest } from './redaction-secret.ts'

/**
 * Strips tokens, JIT configurations, keys, the values of secret environment variables and the runner's job message from
 * the files of a bundle. Applying it twice changes nothing more; JSON stays JSON; text without a secret is unchanged.
 */
export function redactText(text: string, digest: Digest): string {
  if (!mayHoldSecret(text)) return text
  const redactLine = createLineRedactor(digest)
  return text
    .split('\n')
    .map((line) => redactLine(line))
    .join('\n')
}

/** A whole JSON document; anything else is treated as text. */
export function redactJson(text: string, digest: Digest): string {
  if (!mayHoldSecretInJson(text)) return text
  const redacted = redactDocument(text, { digest, redactText: (value) => redactText(value, digest) })
  return redacted ?? redactText(text, digest)
}

/** For consecutive lines: a private key and a job message span several. */
export function createLineRedactor(digest: Digest): (line: string) => string {
  let block = OUTSIDE
  return (line) => {
    const ending = line.endsWith('\r') ? '\r' : ''
    const content = withoutHeader(line.slice(0, line.length - ending.length))
    const header = line.slice(0, line.length - ending.length - content.length)
    const next = continueBlock(block, content)
    block = next ?? openBlock(block, content)
    if (next !== null) return `${header}${mark(next.hides)}${ending}`
    return `${header}${redactContent(content, digest)}${ending}`
  }
}

/** The time stamps of kubectl and the CRI, journalctl's short-iso prefix, klog's header, that of the runner's trace. */
const HEADER =
  /^(?:\d{4}-\d\d-\d\dT\S+ (?:std(?:out|err) [FP] )?)?(?:\S+ \S+\[\d+\]: )?(?:[IWEF]\d{4} [\d:.]{15} +\d+ \S+:\d+\] )?(?:\[(?:\w+ )?\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ \S+ +[^\]]+\] )?/

function withoutHeader(line: string): string {
  return line.slice(HEADER.exec(line)?.[0].length ?? 0)
}

function redactContent(content: string, digest: Digest): string {
  if (!mayHoldSecret(content)) return content
  if (isWrappedBase64(content)) return mark('base64')
  const start = content.search(/[[{]/)
  const hasDocument = start >= 0 && /[\]}]\s*$/.test(content) && !content.includes('Job message:')
  const redacted = hasDocument
    ? redactDocument(content.slice(start), { digest, redactText: (value) => redactText(value, digest) })
    : null
  return redacted === null ? applyRules(content) : `${applyRules(content.slice(0, start))}${redacted}`
}
