import { buffer } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { blind } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { HostJournalWindow } from '#/ports/this-host.ts'
import type { AnswerHead } from '#/protocol/answer.ts'
import type { RawAnswer } from '#/protocol/answer-body.ts'
import { LIMITS } from '#/protocol/limits.ts'
import type { Asked } from '#/protocol/poll.ts'
import { createHandClock, NOON_MS } from '#test/github/hand-clock.ts'
import { createHeldBursts, createJournalBursts } from './journal-bursts.ts'

type JournalAsked = Extract<Asked, { kind: 'journal' }>
const { signal } = new AbortController()
const uidOf = (index: number): string => `${String(index).padStart(8, '0')}-7d5e-4d0e-9a53-1f0a7d5e4d0e`
const MINUTE = 60_000

const line = (at: number, message: string): string =>
  `${JSON.stringify({ MESSAGE: message, __REALTIME_TIMESTAMP: String(at * 1000) })}\n`

function about(index: number, at = NOON_MS): HostJournalWindow {
  return { since: at - MINUTE, about: { uid: uidOf(index), containerIds: [`containerd://c${index}`], at } }
}

function start(held = createHeldBursts()) {
  const clock = createHandClock()
  const asked: { readonly question: JournalAsked; readonly give: (answer: RawAnswer | Blind) => void }[] = []
  const journal = createJournalBursts({
    node: 'n1',
    clock,
    held,
    watched: () => [],
    ask: (question) =>
      new Promise((resolve) => {
        asked.push({ question: question as JournalAsked, give: resolve })
      }),
  })
  const isAsked = (count: number) =>
    vi.waitFor(() => {
      clock.advance(50)
      expect(asked).toHaveLength(count)
    }, 60_000)
  return { clock, asked, journal, isAsked }
}

function read(text: string, more: Partial<Extract<AnswerHead, { kind: 'journal' }>> = {}): RawAnswer {
  const head = { kind: 'journal', from: 0, to: NOON_MS + MINUTE, around: null, gaps: [], ...more } as const
  return { kind: 'answered', head: { ...head, gaps: [...head.gaps] }, rest: Buffer.from(text) }
}

async function copied(answer: ReturnType<ReturnType<typeof createJournalBursts>>) {
  const copy = await answer
  if (copy.kind === 'blind') return copy.reason
  const text = (await buffer(copy.value.chunks)).toString()
  return { text, from: copy.value.from, ...copy.value.ending() }
}

describe('the journal of a node', () => {
  it('is read once for fifty deaths of a second, and each gets its own lines', async () => {
    const { journal, asked, isAsked } = start()
    const all = Array.from({ length: 50 }, (_, index) => journal(about(index, NOON_MS - index * 1000), signal))
    await isAsked(1)
    expect(asked[0]?.question).toMatchObject({
      since: NOON_MS - 49_000 - MINUTE,
      until: null,
      maxBytes: LIMITS.journalBytes,
      about: expect.arrayContaining([{ uid: uidOf(7), containerIds: ['c7'], at: NOON_MS - 7000 }]) as object,
    })
    expect(asked[0]?.question.about).toHaveLength(50)
    const own = (index: number) => line(NOON_MS - 40_000, `pod ${uidOf(index)} ended`)
    const early = line(NOON_MS - 70_000, 'of nobody')
    asked[0]?.give(read(early + Array.from({ length: 50 }, (_, index) => own(index)).join('')))
    const answers = await Promise.all(all.map(copied))
    expect(answers.map((answer) => 'text' in answer && answer.text)).toEqual(
      answers.map((_, index) => (index >= 10 ? early : '') + own(index)),
    )
    expect(answers[7]).toMatchObject({ from: NOON_MS - 7000 - MINUTE, to: NOON_MS + MINUTE, gaps: [] })
    expect(asked).toHaveLength(1)
  })

  it('is read again, once, for all that ask while it is read', async () => {
    const { journal, asked, isAsked } = start()
    const first = journal(about(1), signal)
    await isAsked(1)
    const later = [2, 3, 4].map((index) => journal(about(index), signal))
    asked[0]?.give(read('', { to: NOON_MS }))
    await first
    await isAsked(2)
    expect(asked[1]?.question.about.map(({ uid }) => uid)).toEqual([2, 3, 4].map(uidOf))
    asked[1]?.give(read(''))
    await Promise.all(later)
  })

  it('is not read again for a death that it covers, until a while later', async () => {
    const { journal, asked, isAsked, clock } = start()
    const first = journal(about(1), signal)
    await isAsked(1)
    asked[0]?.give(read(line(NOON_MS, 'of nobody')))
    await first
    expect(await copied(journal(about(2), signal))).toMatchObject({ text: line(NOON_MS, 'of nobody') })
    const fresh = journal(about(3, NOON_MS + MINUTE - 4999), signal)
    await isAsked(2)
    asked[1]?.give(read('', { gaps: [{ code: 'timeout', detail: 'x' }] }))
    await fresh
    clock.advance(10_000)
    await new Promise((resolve) => setImmediate(resolve))
    void journal(about(4), signal)
    await isAsked(3)
  })

  it('is read once for each of windows that do not meet', async () => {
    const { journal, asked, isAsked } = start()
    const all = [
      journal({ since: 1000, until: 2000 }, signal),
      journal({ since: 1500, until: 3000 }, signal),
      journal({ since: 5000, until: 6000 }, signal),
    ]
    await isAsked(1)
    asked[0]?.give(read(''))
    await isAsked(2)
    asked[1]?.give(blind('timeout', 'x'))
    expect(asked.map(({ question: { since, until } }) => [since, until])).toEqual([
      [1000, 3000],
      [5000, 6000],
    ])
    expect(await Promise.all(all)).toMatchObject([{ kind: 'seen' }, { kind: 'seen' }, { kind: 'blind' }])
  })

  it('is claimed for each death only as far around it as it was read', async () => {
    const { journal, asked, isAsked } = start()
    const answer = journal(about(1), signal)
    await isAsked(1)
    asked[0]?.give(read('', { around: 5000, gaps: [{ code: 'truncated', detail: 'left out' }] }))
    expect(await copied(answer)).toMatchObject({
      from: NOON_MS - 5000,
      to: NOON_MS + 5000,
      gaps: [{ code: 'truncated', detail: 'left out' }],
    })
  })

  it('is not waited for by one who stops, and the others get it', async () => {
    const { journal, asked, isAsked } = start()
    const stop = new AbortController()
    const [gone, other] = [journal(about(1), stop.signal), journal(about(2), signal)]
    stop.abort()
    expect(await gone).toMatchObject({ reason: { code: 'stopped' } })
    await isAsked(1)
    asked[0]?.give(read(''))
    expect(await other).toMatchObject({ kind: 'seen' })
  })

  it.each<[string, RawAnswer | Blind, string]>([
    ['of another kind', { kind: 'answered', head: { kind: 'none' }, rest: Buffer.alloc(0) }, 'malformed'],
    ['larger than was asked for', read('x'.repeat(LIMITS.journalBytes + 1)), 'too-large'],
    ['blind', { kind: 'answered', head: blind('forbidden', 'x'), rest: Buffer.alloc(0) }, 'forbidden'],
  ])('is blind for all where the answer is %s', async (_, answer, code) => {
    const { journal, asked, isAsked } = start()
    const all = [1, 2].map((index) => journal(about(index), signal))
    await isAsked(1)
    asked[0]?.give(answer)
    expect(await Promise.all(all)).toMatchObject([{ reason: { code } }, { reason: { code } }])
  })

  it('is at hand for no more nodes than there is room for, the oldest goes', async () => {
    const held = createHeldBursts(100)
    const [first, second] = [start(held), start(held)]
    for (const one of [first, second]) {
      const answer = one.journal(about(1), signal)
      await one.isAsked(1)
      one.asked[0]?.give(read('x'.repeat(60)))
      await answer
    }
    expect(await second.journal(about(2), signal)).toMatchObject({ kind: 'seen' })
    void first.journal(about(2), signal)
    await first.isAsked(2)
  })
})
