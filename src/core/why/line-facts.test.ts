import { describe, expect, it } from 'vitest'

import { clueFinder } from '#/core/evidence/find-clues.ts'
import { eventClues, readLog } from '#/core/why/line-facts.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { LOG, makeEvent, second } from '#test/why/evidence.ts'

const find = clueFinder(SIGNATURES)
const read = (...lines: readonly string[]) => readLog(lines.join('\n'), { source: LOG, stream: 'runner-log', find })
const at = (count: number, text: string) => `${new Date(second(count)).toISOString()} ${text}`
const RUNS = '2026-06-06 21:01:00Z: Running job: build'
const SPACE = 'System.IO.IOException: No space left on device'
const VITALS = 'signalbox-vitals 1 time=2026-06-06T21:00:05Z cgroup=2 memory.events.oom_kill=2'

describe('a log', () => {
  it('gives clues with position, time and fields', () => {
    expect(read(at(1, 'x'), at(60, RUNS)).clues).toMatchObject([
      { is: 'job-running', source: LOG, order: 2, at: second(60), about: 'subject' },
    ])
  })

  it('gives a line without a time that of the line before', () => {
    expect(read(at(60, 'x'), SPACE).clues.map((clue) => clue.at)).toEqual([second(60)])
    expect(read(SPACE, at(60, 'x')).clues.map((clue) => clue.at)).toEqual([null])
  })

  it('counts a line once that is in the trace and on the terminal', () => {
    expect(read(at(60, RUNS), at(60.4, `WRITE LINE: ${RUNS}`)).clues).toHaveLength(1)
    expect(read(at(60, RUNS), at(61, RUNS)).clues).toHaveLength(2)
    expect(read(at(60, RUNS), at(60, RUNS.replace('build', 'test'))).clues).toHaveLength(2)
  })

  it('gives the vitals in it', () => {
    expect(read('x', VITALS, 'y').vitals).toMatchObject([{ oomKills: 2, at: second(5) }])
  })

  it('has its first and last time', () => {
    expect(read('first', at(5, 'x'), '', at(9, 'y'), 'z', '').extent).toEqual({
      source: LOG,
      firstAt: second(5),
      lastAt: second(9),
      lines: 4,
      isFromStart: false,
    })
    expect(read('').extent).toMatchObject({ firstAt: null, lastAt: null, lines: 0 })
  })

  it('is complete from the start if its first lines are those of a runner', () => {
    const filler = (count: number) => Array.from({ length: count }, () => 'x')
    expect(read(...filler(29), '√ Connected to GitHub').extent.isFromStart).toBe(true)
    expect(read(...filler(30), '√ Connected to GitHub').extent.isFromStart).toBe(false)
  })
})

describe('an event', () => {
  it('gives clues by its message and its reason', () => {
    const event = makeEvent({
      reason: 'Killing',
      message: 'Stopping container runner',
      count: 2,
      lastAt: second(70),
      firstAt: second(60),
    })
    expect(eventClues(event, { find, about: 'subject', order: 3 })).toMatchObject([
      {
        is: 'kubelet-stops-container',
        source: 'kubernetes/events',
        at: second(60),
        order: 3,
        text: 'Killing: Stopping container runner',
        fields: { container: 'runner', count: '2', last: String(second(70)) },
      },
    ])
    expect(eventClues({ ...event, reason: 'Pulled' }, { find, about: 'subject', order: 0 })).toEqual([])
  })

  it('without a last time has none', () => {
    const event = makeEvent({ reason: 'Killing', message: 'Stopping container runner', lastAt: null })
    expect(eventClues(event, { find, about: 'node', order: 0 })[0]?.fields['last']).toBe('')
  })
})
