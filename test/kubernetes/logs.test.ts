import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { connectKubernetes } from '#/adapters/kubernetes/connect.ts'
import type { Clock } from '#/ports/clock.ts'
import type { LogEvent } from '#/ports/kubernetes.ts'
import type { Answer } from './answering-server.ts'
import { answerJson, startAnsweringServer } from './answering-server.ts'

const calm = new AbortController().signal
const log = { namespace: 'ns', pod: 'p', container: 'main' }
const QUIET_MS = 77_777
const tuning = { backoffFirstMs: 5, backoffMostMs: 10, reopenQuietLogMs: QUIET_MS, maxLogLineBytes: 60 }

function line(second: number, text: string): string {
  return `2026-11-15T22:00:0${second}.000000001Z ${text}\n`
}

const says =
  (text: string): Answer =>
  (_, response) =>
    response.end(text)

const status = (code: number, details: object, message = ''): Answer =>
  answerJson(code, { kind: 'Status', code, reason: 'NotFound', message, details })

const POD_GONE = status(404, { name: 'p', kind: 'pods' })
const NODE_KNOWS_NOT = status(404, { name: 'p', kind: 'pods/log' })
const REMOVED = says('unable to retrieve container logs for containerd://0123abc')

async function connectTo(answers: readonly Answer[], clock: Clock = systemClock) {
  const asked: string[] = []
  const server = await startAnsweringServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://x').searchParams.get('sinceTime') ?? 'all')
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    answer?.(request, response)
  })
  const { credentials } = server
  const kubernetes = connectKubernetes({ credentials, clock, random: Math.random, userAgent: 't', tuning })
  const dispose = async (): Promise<void> => {
    await kubernetes[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  }
  return { asked, kubernetes, [Symbol.asyncDispose]: dispose }
}

/** `quietAfter`: after how many lines of the first connection the quiet timeout expires. */
async function follow(answers: readonly Answer[], quietAfter = Infinity) {
  const events: LogEvent[] = []
  const sleep: Clock['sleep'] = async (ms, signal) => {
    if (ms !== QUIET_MS) return systemClock.sleep(ms, signal)
    const isOver = (): boolean => signal?.aborted === true || (to.asked.length === 1 && events.length >= quietAfter)
    while (!isOver()) await systemClock.sleep(5, signal)
  }
  await using to = await connectTo(answers, { ...systemClock, sleep })
  for await (const event of to.kubernetes.followLog(log, calm)) events.push(event)
  const lines = events.flatMap((event) => (event.kind === 'line' ? [event.text] : []))
  return { events, lines, asked: to.asked }
}

async function tail(answer: Answer, limits: { readonly tailLines: number; readonly tailBytes: number }) {
  await using to = await connectTo([answer])
  return await to.kubernetes.logTail({ ...log, ...limits }, calm)
}

describe('the tail of a log', () => {
  const text = line(1, 'one') + line(2, 'two') + line(3, 'three')

  it('is complete if it fits', async () => {
    expect(await tail(says(text), { tailLines: 9, tailBytes: 999 })).toEqual({
      kind: 'seen',
      value: { text, cut: false },
    })
  })

  it('starts with a whole line if it is truncated', async () => {
    const cut = await tail(says(text), { tailLines: 9, tailBytes: line(3, 'three').length + 5 })
    expect(cut).toEqual({ kind: 'seen', value: { text: line(3, 'three'), cut: true } })
  })

  it('says that there may be more if it has as many lines as requested', async () => {
    expect(await tail(says(text), { tailLines: 3, tailBytes: 999 })).toMatchObject({ value: { text, cut: true } })
  })

  it('is blind if the node has removed it or does not know the pod', async () => {
    const limits = { tailLines: 9, tailBytes: 999 }
    expect(await tail(REMOVED, limits)).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
    expect(await tail(POD_GONE, limits)).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
    expect(await tail(NODE_KNOWS_NOT, limits)).toMatchObject({ kind: 'blind', reason: { code: 'server-error' } })
  })
})

describe('a follower of a log', () => {
  it('continues from its last line without repeating lines, and ends when nothing more comes', async () => {
    const first = says(line(1, 'one') + line(2, 'two'))
    const second = says(line(2, 'two') + line(3, 'three'))
    const { lines, asked, events } = await follow([first, second, says(line(3, 'three'))])
    expect(lines).toEqual(['one', 'two', 'three'])
    expect(asked).toEqual(['all', '2026-11-15T22:00:02.000000001Z', '2026-11-15T22:00:03.000000001Z'])
    expect(events.at(-1)).toEqual({ kind: 'ended', why: 'container-ended' })
  })

  it('does not end while the node does not know the pod yet', async () => {
    const { events, lines } = await follow([says(line(1, 'one')), NODE_KNOWS_NOT, says(line(2, 'two')), POD_GONE])
    expect(events.map(({ kind }) => kind)).toEqual(['line', 'blind', 'line', 'ended'])
    expect(lines).toEqual(['one', 'two'])
    expect(events.at(-1)).toEqual({ kind: 'ended', why: 'pod-gone' })
  })

  it('returns every line of one connection, even when the clock of the node is set back', async () => {
    const { lines } = await follow([says(line(5, 'one') + line(1, 'two') + line(2, 'three')), POD_GONE])
    expect(lines).toEqual(['one', 'two', 'three'])
  })

  it('reopens a quiet log without an event', async () => {
    const quiet: Answer = (_, response) => response.write(line(1, 'one'))
    const { events, asked } = await follow([quiet, POD_GONE], 1)
    expect(asked).toHaveLength(2)
    expect(events.map(({ kind }) => kind)).toEqual(['line', 'ended'])
  })

  it('ends when the node has removed the log', async () => {
    const { events } = await follow([REMOVED])
    expect(events).toMatchObject([{ kind: 'blind', reason: { code: 'expired' } }, { kind: 'ended' }])
  })

  it('truncates a line that is too long, and returns one without a time unchanged', async () => {
    const { events } = await follow([says(`${line(1, 'x'.repeat(100))}no time here\n`), POD_GONE])
    expect(events[0]).toMatchObject({ kind: 'line', cut: true, at: '2026-11-15T22:00:01.000000001Z' })
    expect(events[1]).toEqual({ kind: 'line', cut: false, at: '', text: 'no time here' })
  })
})
