import { shortened } from '#/core/notify/harmless.ts'
import type { Notice } from '#/core/notify/notice.ts'
import { buildText } from '#/core/notify/notice-text.ts'
import type { NoticeText } from '#/core/notify/notice-text.ts'

/** What a Teams workflow takes. Text runs are shown as they are; a TextBlock would read Markdown in them. */
export type TeamsMessage = {
  readonly type: 'message'
  readonly attachments: readonly {
    readonly contentType: 'application/vnd.microsoft.card.adaptive'
    readonly contentUrl: null
    readonly content: AdaptiveCard
  }[]
}
type AdaptiveCard = {
  readonly $schema: 'http://adaptivecards.io/schemas/adaptive-card.json'
  readonly type: 'AdaptiveCard'
  readonly version: '1.4'
  readonly body: readonly RichTextBlock[]
  readonly actions?: readonly { readonly type: 'Action.OpenUrl'; readonly title: string; readonly url: string }[]
  readonly msteams: { readonly width: 'Full' }
}
type RichTextBlock = { readonly type: 'RichTextBlock'; readonly inlines: readonly TextRun[] }
type TextRun = {
  readonly type: 'TextRun'
  readonly text: string
  readonly weight?: 'Bolder'
  readonly size?: 'Large'
}

/** Teams shows six buttons at the most. */
const MOST_ACTIONS = 4
const LONGEST_TITLE = 80
/** Teams refuses a message of more than 28 KB. */
const LARGEST_BYTES = 27_000

export function teamsMessage(notice: Notice): TeamsMessage {
  const text = buildText(notice)
  const shorter = [text, { ...text, unseen: [] }, { ...text, unseen: [], next: [] }].map(buildMessage)
  const least = buildMessage({ ...text, unseen: [], next: [], deaths: [], unshown: text.unshown + text.deaths.length })
  return shorter.find((message) => countBytes(message) <= LARGEST_BYTES) ?? least
}

function countBytes(message: TeamsMessage): number {
  return new TextEncoder().encode(JSON.stringify(message)).length
}

function buildMessage(text: NoticeText): TeamsMessage {
  const actions = text.deaths.flatMap(({ job }) => {
    const url = job?.url ?? null
    return job === null || url === null ? [] : [{ type: 'Action.OpenUrl' as const, title: jobTitle(job.name), url }]
  })
  const content: AdaptiveCard = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: buildBody(text),
    ...(actions.length === 0 ? {} : { actions: actions.slice(0, MOST_ACTIONS) }),
    msteams: { width: 'Full' },
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

function jobTitle(job: string): string {
  return shortened(job, LONGEST_TITLE)
}

function buildBody(text: NoticeText): readonly RichTextBlock[] {
  const { headline, sentence, deaths, unshown, next, unseen, more, test } = text
  const rows = deaths.map(({ text, job }) => (job === null ? text : `${text} — ${job.name}`))
  return [
    block(headline, { weight: 'Bolder', size: 'Large' }),
    ...(test === null ? [] : [block(test)]),
    ...(sentence === null ? [] : [block(sentence)]),
    ...rows.map((row) => block(`• ${row}`)),
    ...(unshown === 0 ? [] : [block(`• and ${unshown} others of the same group`)]),
    ...titled('What to do next', next),
    ...titled('What could not be seen', unseen),
    ...(more === null ? [] : [block(more)]),
  ]
}

function titled(title: string, lines: readonly string[]): readonly RichTextBlock[] {
  return lines.length === 0 ? [] : [block(title, { weight: 'Bolder' }), ...lines.map((line) => block(`• ${line}`))]
}

/** `{{DATE(…)}}` is replaced in the text of a card. */
function block(text: string, look: Pick<TextRun, 'weight' | 'size'> = {}): RichTextBlock {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: text.replaceAll('{{', '{ {'), ...look }] }
}
