import type { Notice } from '#/core/notify/notice.ts'
import { buildText } from '#/core/notify/notice-text.ts'

/** For a terminal: the headline, what happened, what to do. */
export function plainMessage(notice: Notice): string {
  const { headline, sentence, next, more, test } = buildText(notice)
  const lines = [sentence, ...next.map((step) => `→ ${step}`), more, test]
  return [headline, ...lines.flatMap((line) => (line === null ? [] : [`  ${line}`]))].join('\n')
}
