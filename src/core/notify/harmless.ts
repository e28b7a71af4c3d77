import type { Death } from '#/core/recorder/death.ts'

/** Foreign text on one line: no control characters, no change of reading direction, bounded. */
export function oneLine(text: string, most: number): string {
  // Cut first: a hostile text must not cost time.
  const clean = text
    .slice(0, 4 * most + 1000)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
  return shortened(clean, most)
}

/** Counts as the services do, in UTF-16 units, and does not cut a character in two. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, Math.max(0, most - 1))
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** A link to a web page that cannot break out of the place where it is written. */
export function webLink(text: string | null): string | null {
  if (text === null || text.length > LONGEST_LINK || !/^https?:\/\/[\w.:-]+\/[\w./~%?=&#-]*$/.test(text)) return null
  return text
}

const LONGEST_LINK = 1000

/** Slack reads `<!channel>`, `<@U…>` and `<https://…>` in a text unless these three are written as entities. */
export function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const UNJOINED = '\u200B'

/**
 * For GitHub's Markdown: every mark is escaped. GitHub finds mentions, references and URLs in the result, so an invisible
 * character breaks them.
 */
export function markdownText(text: string): string {
  return text
    .replaceAll(/[&<>]/g, (mark) => ENTITIES[mark] ?? mark)
    .replaceAll(/[\\`*_{}[\]()#+\-!|~$=]/g, (mark) => `\\${mark}`)
    .replaceAll('@', `@${UNJOINED}`)
    .replaceAll(/#(?=\w)/g, `#${UNJOINED}`)
    .replaceAll('://', `:${UNJOINED}//`)
    .replaceAll(/www\./gi, (word) => `${word.slice(0, -1)}${UNJOINED}.`)
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Redacts again what was redacted when it was recorded: no text of a death is sent without this. */
export function redactDeath(death: Death, redact: (text: string) => string): Death {
  const safe = (text: string | null): string | null => (text === null ? null : redact(text))
  return {
    ...death,
    // Names too: a label may hold anything.
    namespace: redact(death.namespace),
    pod: redact(death.pod),
    node: safe(death.node),
    pool: safe(death.pool),
    runner: safe(death.runner),
    workflow: safe(death.workflow),
    job: death.job === null ? null : { ...death.job, name: safe(death.job.name), url: safe(death.job.url) },
    actor: safe(death.actor),
    sentence: redact(death.sentence),
    next: death.next.map(redact),
    reason: safe(death.reason),
    message: safe(death.message),
    blind: death.blind.map(({ source, reason }) => ({ source, reason: redact(reason) })),
  }
}
