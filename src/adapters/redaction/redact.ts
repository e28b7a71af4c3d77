import { sha256 } from '#/adapters/sha256.ts'

import { redactText } from '#/core/redaction/redaction.ts'

/** The last net under the text of a fault or a log line, whoever wrote it: what looks like a credential is not shown. */
export function redact(text: string): string {
  return redactText(text, sha256)
}
