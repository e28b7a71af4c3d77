import { describe, expect, it } from 'vitest'
import type { Death } from '#/core/recorder/death.ts'
import { checkReport } from '#/core/notify/check-report.ts'
import { causeInWords } from '#/core/notify/cause-words.ts'
import { markdownText, oneLine, redactDeath, shortened, slackText, webLink } from '#/core/notify/harmless.ts'
import { plainMessage } from '#/core/notify/plain-message.ts'
import { isSelected } from '#/core/notify/selection.ts'
import type { Selection } from '#/core/notify/selection.ts'
import { laneAfter } from '#/core/notify/retry.ts'
import { slackMessage } from '#/core/notify/slack-message.ts'
import { teamsMessage } from '#/core/notify/teams-card.ts'
import { webhookBody } from '#/core/notify/webhook-body.ts'
import { toDeath } from '#/core/recorder/death.ts'
import { NOON_MS } from '#test/github/hand-clock.ts'
import { someNotice } from '#test/notify/some-notice.ts'
import { someDeath, someRow } from '#test/notify/some-death.ts'

/** What a pod's message may hold to reach further than its place. */
const HOSTILE = [
  '<!channel> <!here|x> <@U123> <https://evil.example|ok> & *b* _i_ `c` ~s~',
  '@everyone @acme/all #12 [x](https://evil.example) ![i](http://evil.example/i.png) <img src=x onerror=1> <!-- -->',
  '\u001B[31mred\u0007 \u202Etxt\u2066 \u0000 line\nbreak\r\n# heading\n- item | cell | www.evil.example {{DATE(x)}}',
].join(' ')

const hostile = (given: Partial<Death> = {}): Death =>
  someDeath('u1', {
    sentence: HOSTILE,
    next: [HOSTILE],
    reason: HOSTILE,
    message: HOSTILE,
    blind: [{ source: 'logs', reason: HOSTILE }],
    repository: 'acme/api',
    workflow: HOSTILE,
    job: { id: 7, name: HOSTILE, url: 'https://github.com/acme/api/actions/runs/1/job/7' },
    ...given,
  })

const JOB = {
  id: 7,
  runId: 1,
  name: 'build',
  status: 'completed',
  conclusion: 'failure',
  runner: 'r',
  createdAt: NOON_MS - 60_000,
  startedAt: NOON_MS - 50_000,
  completedAt: NOON_MS + 60_000,
  steps: [
    { number: 1, name: HOSTILE, status: 'completed', conclusion: 'failure', startedAt: NOON_MS, completedAt: NOON_MS },
  ],
}

const deepTexts = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(deepTexts) : []
}

const CONTROL = /[\p{Cc}\p{Bidi_Control}]/u

describe('text from the world', () => {
  it.each([
    ['a control character', 'a\u0007b\u001B[1m', 'a b [1m'],
    ['a line break', 'a\r\n\n b', 'a b'],
    ['another reading direction', 'a\u202Eb', 'a b'],
    ['half a character', 'a\uD800b', 'a\uFFFDb'],
  ])('is one line without %s', (_, given, expected) => {
    expect(oneLine(given, 100)).toBe(expected)
  })

  it('is cut where it is too long, never inside a character', () => {
    expect(shortened('abcdef', 6)).toBe('abcdef')
    expect(shortened('abcdefg', 6)).toBe('abcde…')
    expect(shortened('abcd😀g', 6)).toBe('abcd…')
  })

  it.each([
    ['https://github.com/acme/api/actions/runs/1/job/7', true],
    ['https://ghes.example:8443/a/b?c=d&e=f#g', true],
    ['javascript:alert(1)', false],
    ['https://a/b|c>', false],
    ['https://user:pass@a/b', false],
    ['https://a/b c', false],
    [`https://a/${'b'.repeat(1000)}`, false],
  ])('%.60s is a link: %s', (link, isOne) => {
    expect(webLink(link)).toBe(isOne ? link : null)
  })

  it('is no mark-up in Markdown', () => {
    expect(markdownText('<b> & `c` [x](y) @me #1 https://e www.e.x')).toBe(
      '&lt;b&gt; &amp; \\`c\\` \\[x\\]\\(y\\) @\u200Bme \\#\u200B1 https:\u200B//e www\u200B.e.x',
    )
  })

  it('is no mention in Slack', () => {
    expect(slackText('<!channel> & <@U1>')).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;')
  })

  it('is redacted in every field that quotes', () => {
    const names = { namespace: HOSTILE, pod: HOSTILE, node: HOSTILE, pool: HOSTILE, runner: HOSTILE }
    const clean = redactDeath(hostile({ actor: HOSTILE, ...names }), () => 'gone')
    expect(JSON.stringify(clean)).not.toContain('evil')
    expect(clean).toMatchObject({ uid: 'u1', repository: 'acme/api', job: { id: 7, name: 'gone' } })
  })
})

describe('each message', () => {
  const notice = someNotice([hostile()])
  it.each<[string, unknown]>([
    ['for Slack', slackMessage(notice)],
    ['for Teams', teamsMessage(notice)],
    ['for GitHub', checkReport({ ...(notice.about as NonNullable<typeof notice.about>) }, JOB)],
  ])('%s has no control characters but line breaks of our own', (_, message) => {
    for (const text of deepTexts(message)) expect(text.replaceAll('\n', '')).not.toMatch(CONTROL)
  })

  it('for Slack holds what the world said only where Slack reads no mark-up, or escaped', () => {
    const { text, blocks } = slackMessage(notice)
    expect(text).not.toMatch(/<|>/)
    expect(JSON.stringify(blocks)).not.toContain('mrkdwn')
    expect(JSON.stringify(blocks[0])).not.toMatch(/[<>]/)
    expect(deepTexts(blocks).filter((own) => own.startsWith('http'))).toEqual([
      'https://github.com/acme/api/actions/runs/1/job/7',
    ])
  })

  it('for Teams has text runs only, and no function of a card', () => {
    const [attachment] = teamsMessage(notice).attachments
    expect(attachment?.content.body.every(({ type }) => type === 'RichTextBlock')).toBe(true)
    expect(JSON.stringify(attachment)).not.toContain('{{')
  })

  it('for GitHub says what happened, what to do and what was not seen, without mark-up of others', () => {
    const about = {
      shared: { by: 'node', node: 'n7' },
      deaths: [hostile()],
      others: 5,
      from: NOON_MS,
      to: NOON_MS + 40_000,
    } as const
    const { name, title, summary } = checkReport(about, JOB)
    expect([name, title]).toEqual(['signalbox / build', 'node lost (90 %)'])
    expect(summary).toContain('One of 6 runners on node n7 in 40 s.')
    for (const part of ['### What happened', '### What to do next', '### What could not be seen'])
      expect(summary).toContain(part)
    expect(summary).toContain('- 2026-11-15T11:59:10Z job 7 started on r')
    expect(summary).not.toMatch(
      /<img|<!--|<@|<!channel|@everyone|@acme|\]\(https|[^\\]`c`|:\/\/evil|www\.evil|^# heading|^- item/m,
    )
  })

  it('keeps within the limits of its service, however much there is to say', () => {
    const long = '漢字😀<&>'.repeat(3000)
    const many = Array.from({ length: 300 }, (_, index) =>
      someDeath(`u${index}`, {
        pod: `${index}-${long}`.slice(0, 253),
        node: long.slice(0, 253),
        sentence: long,
        message: long,
        next: [long, `${index}${long}`],
        blind: [{ source: `logs/${index}`, reason: long }],
        cause: `cause-${index}`,
      }),
    )
    const big = someNotice(many)
    const slack = slackMessage(big)
    expect(slack.text.length).toBeLessThanOrEqual(3000)
    expect(slack.blocks[0]).toMatchObject({ type: 'header' })
    expect(deepTexts(slack.blocks[0]).every((text) => text.length <= 150)).toBe(true)
    expect(JSON.stringify(slack).length).toBeLessThan(40_000)
    expect(Buffer.byteLength(JSON.stringify(teamsMessage(big)))).toBeLessThanOrEqual(28_000)
    expect(Buffer.byteLength(JSON.stringify(webhookBody(big)))).toBeLessThan(6 * 2 ** 20)
    expect(webhookBody(big)).toMatchObject({ omitted: 200, deaths: { length: 100 } })
    const steps = Array.from({ length: 500 }, (_, number) => ({
      ...JOB.steps[0],
      number,
      name: long,
    })) as typeof JOB.steps
    const report = checkReport(big.about as NonNullable<typeof big.about>, { ...JOB, steps })
    expect(report.summary.length).toBeLessThanOrEqual(65_535)
    expect(report.name.length).toBeLessThanOrEqual(120)
  })

  it('for GitHub leaves out how the job began rather than be refused', () => {
    const marks = '&'.repeat(600)
    const blind = Array.from({ length: 5 }, (_, index) => ({ source: `logs/${index}`, reason: marks }))
    const { about } = someNotice([someDeath('u', { sentence: marks, next: [marks, `1${marks}`], blind })])
    const steps = Array.from({ length: 50 }, (_, number) => ({
      ...JOB.steps[0],
      number,
      name: marks,
    })) as typeof JOB.steps
    const { summary } = checkReport(about as NonNullable<typeof about>, { ...JOB, steps })
    expect(summary.length).toBeLessThanOrEqual(65_535)
    expect(summary).toContain('the runner ended')
  })

  it('for Teams leaves out what is least needed rather than be refused', () => {
    const full = '漢'.repeat(1000)
    const job = { id: 7, name: full, url: null }
    const texts = { pod: full, node: full, cause: full, sentence: full, workflow: full, repository: full, job }
    const lines = Array.from({ length: 5 }, (_, index) => `${index}${full}`)
    const blind = lines.map((reason) => ({ source: 'logs', reason }))
    const countBytes = (count: number) => {
      const deaths = Array.from({ length: count }, (_, index) =>
        someDeath(`u${index}`, { ...texts, next: lines, blind }),
      )
      const message = teamsMessage(someNotice(deaths))
      expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(28_000)
      return message.attachments[0]?.content.body.length
    }
    expect([1, 4, 10].map(countBytes)).toEqual([13, 10, 3])
  })

  it('for a terminal is a headline with what happened and what to do', () => {
    expect(plainMessage(someNotice([someDeath('u1')]))).toBe(
      'arc/runner-u1 on node n7: node lost\n  The node went away under the pod.\n  → Ask the cloud.',
    )
  })

  it('for programs has the deaths as in the API', () => {
    const death = someDeath('u1')
    expect(webhookBody(someNotice([death]))).toEqual({
      schemaVersion: 1,
      id: 'notice-1',
      sentAt: '2026-11-15T12:00:00.000Z',
      test: false,
      headline: 'arc/runner-u1 on node n7: node lost',
      group: {
        by: 'node',
        node: 'n7',
        pool: null,
        cause: null,
        count: 1,
        from: '2026-11-15T12:00:00.000Z',
        to: '2026-11-15T12:00:00.000Z',
      },
      deaths: [death],
      omitted: 0,
      more: null,
    })
  })
})

describe('whether a channel reports a death', () => {
  const usual: Selection = { kinds: ['death', 'never-started'], causes: [], pools: [], minimumConfidence: 0.5 }
  const unjudged = toDeath({ ...someRow('u'), verdict: null })
  it.each<[string, Death, Partial<Selection>, boolean]>([
    ['a death', someDeath('u'), {}, true],
    ['one that never started', someDeath('u', { kind: 'never-started' }), {}, true],
    ['a clean end', someDeath('u', { kind: 'not-a-death' }), {}, false],
    ['an unknown end', someDeath('u', { kind: 'unknown', confidence: 0.3 }), {}, false],
    [
      'an unknown end that is asked for',
      someDeath('u', { kind: 'unknown', confidence: 0.3 }),
      { kinds: ['unknown'] },
      true,
    ],
    ['one without a verdict, though unknown ones are asked for', unjudged, { kinds: ['unknown'] }, false],
    ['one that is too uncertain', someDeath('u', { confidence: 0.69 }), { minimumConfidence: 0.7 }, false],
    ['one that is certain enough', someDeath('u', { confidence: 0.7 }), { minimumConfidence: 0.7 }, true],
    ['another cause', someDeath('u'), { causes: ['oom-node'] }, false],
    ['its cause', someDeath('u'), { causes: ['oom-node', 'node-lost'] }, true],
    ['another pool', someDeath('u'), { pools: ['arm'] }, false],
    ['its pool', someDeath('u'), { pools: ['linux'] }, true],
    ['no pool where pools are named', someDeath('u', { pool: null }), { pools: ['linux'] }, false],
  ])('%s', (_, death, given, expected) => {
    expect(isSelected(death, { ...usual, ...given })).toBe(expected)
  })
})

describe('after a failure', () => {
  const lane = { failures: 0, notBefore: 0, paused: null }
  const later = { paused: null, notBefore: null, chance: 1 }
  it('the pauses double up to five minutes, and up to an hour where a person has to fix something', () => {
    const after = (setback: Parameters<typeof laneAfter>[1], times: number) =>
      Array.from({ length: times }).reduce<typeof lane>((one) => laneAfter(one, setback, 0) as typeof lane, lane)
        .notBefore
    expect([1, 2, 3, 9, 30].map((times) => after(later, times))).toEqual([1000, 2000, 4000, 256_000, 300_000])
    expect([1, 2, 9].map((times) => after({ ...later, paused: 'x' }, times))).toEqual([60_000, 120_000, 3_600_000])
    expect(after({ ...later, chance: 0 }, 1)).toBe(500)
  })

  it('the other side is not asked before the time that it named, within reason', () => {
    expect(laneAfter(lane, { ...later, notBefore: 90_000 }, 0).notBefore).toBe(90_000)
    expect(laneAfter(lane, { ...later, notBefore: 1e12 }, 0).notBefore).toBe(3_600_000)
    expect(laneAfter(lane, { ...later, notBefore: 10 }, 0).notBefore).toBe(1000)
  })
})

describe('a cause in words', () => {
  it.each([
    ['node-lost', 'node lost'],
    ['oom-container', 'out of memory (container limit)'],
    ['acme-proxy-down', 'acme proxy down'],
    ['unknown', 'cause not known'],
  ])('%s', (cause, words) => {
    expect(causeInWords(cause)).toBe(words)
  })
})
