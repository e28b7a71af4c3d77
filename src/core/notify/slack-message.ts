import { shortened, slackText } from '#/core/notify/harmless.ts'
import type { Notice } from '#/core/notify/notice.ts'
import { buildText } from '#/core/notify/notice-text.ts'
import type { DeathText, NoticeText } from '#/core/notify/notice-text.ts'

/** What an incoming webhook takes. Rich text is shown as it is: no mark, mention or link in it is read. */
export type SlackMessage = {
  readonly text: string
  readonly unfurl_links: false
  readonly unfurl_media: false
  readonly blocks: readonly SlackBlock[]
}
type SlackBlock =
  | {
      readonly type: 'header'
      readonly text: { readonly type: 'plain_text'; readonly text: string; readonly emoji: false }
    }
  | { readonly type: 'rich_text'; readonly elements: readonly RichElement[] }
type RichElement =
  | RichSection
  | { readonly type: 'rich_text_list'; readonly style: 'bullet'; readonly elements: readonly RichSection[] }
type RichSection = { readonly type: 'rich_text_section'; readonly elements: readonly RichText[] }
type RichText =
  | { readonly type: 'text'; readonly text: string; readonly style?: { readonly bold: true } }
  | { readonly type: 'link'; readonly url: string; readonly text: string }

const LONGEST_HEADER = 150
const LONGEST_FALLBACK = 3000

export function slackMessage(notice: Notice): SlackMessage {
  const text = buildText(notice)
  const fallback = [text.headline, text.sentence, text.more].filter((line) => line !== null).join('\n')
  const elements = toElements(text)
  return {
    text: fitted(fallback, LONGEST_FALLBACK),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: fitted(text.headline, LONGEST_HEADER), emoji: false } },
      ...(elements.length === 0 ? [] : [{ type: 'rich_text' as const, elements }]),
    ],
  }
}

/** Entities are longer than what they stand for, and one that is cut is none. */
function fitted(text: string, most: number): string {
  let length = Math.min(text.length, most)
  while (slackText(shortened(text, length)).length > most) length -= 1
  return slackText(shortened(text, length))
}

function toElements(text: NoticeText): readonly RichElement[] {
  const { sentence, deaths, unshown, next, unseen, more, test } = text
  const others = unshown === 0 ? [] : [section(`and ${unshown} others of the same group`)]
  return [
    ...(test === null ? [] : [section(test)]),
    ...(sentence === null ? [] : [section(sentence)]),
    ...list([...deaths.map(deathSection), ...others]),
    ...titled('What to do next', next),
    ...titled('What could not be seen', unseen),
    ...(more === null ? [] : [section(more)]),
  ]
}

function section(text: string): RichSection {
  return { type: 'rich_text_section', elements: [{ type: 'text', text }] }
}

function list(elements: readonly RichSection[]): readonly RichElement[] {
  return elements.length === 0 ? [] : [{ type: 'rich_text_list', style: 'bullet', elements }]
}

function titled(title: string, lines: readonly string[]): readonly RichElement[] {
  if (lines.length === 0) return []
  const heading: RichSection = {
    type: 'rich_text_section',
    elements: [{ type: 'text', text: title, style: { bold: true } }],
  }
  return [heading, ...list(lines.map(section))]
}

function deathSection({ text, job }: DeathText): RichSection {
  const parts: RichText[] = [{ type: 'text', text: job === null ? text : `${text} — ` }]
  if (job !== null) {
    parts.push(job.url === null ? { type: 'text', text: job.name } : { type: 'link', url: job.url, text: job.name })
  }
  return { type: 'rich_text_section', elements: parts }
}
