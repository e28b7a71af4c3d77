import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { observeLines } from '#/core/evidence/bundle-lines.ts'
import type { Lines } from '#/core/evidence/bundle-lines.ts'
import type { JournalLine, JournalWindow } from '#/ports/journal.ts'
import { draws } from '#test/tiers/long-run.ts'
import { gatherJournal } from './gather-journal.ts'
import type { JournalFormat } from './journal-format.ts'

async function* splitChunks(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

function gather(
  text: string | Uint8Array,
  format: JournalFormat,
  window: JournalWindow = {},
): Promise<Lines<JournalLine>> {
  return gatherJournal(splitChunks(text), { format, window, maxLines: 1000 })
}

function entry(fields: Readonly<Record<string, unknown>>): string {
  const always = { __REALTIME_TIMESTAMP: '1794775118692946', __MONOTONIC_TIMESTAMP: '1923112705', MESSAGE: 'x' }
  return `${JSON.stringify({ ...always, ...fields })}\n`
}

const messages = ({ lines }: Lines<JournalLine>): readonly (string | null)[] => lines.map((line) => line.message)
const codes = ({ gaps }: Lines<JournalLine>): readonly string[] => gaps.map((gap) => gap.code)

describe('journalctl -o json', () => {
  it('becomes typed lines', async () => {
    const text = entry({
      _BOOT_ID: 'c1220dc1879e4c20aef872ba764e07c7',
      _HOSTNAME: 'node-1',
      _SYSTEMD_UNIT: 'kubelet.service',
      SYSLOG_IDENTIFIER: 'kubelet',
      _PID: '28196',
      _COMM: 'kubelet',
      PRIORITY: '6',
      _TRANSPORT: 'stdout',
      MESSAGE: 'ready',
    })
    const { lines, gaps } = await gather(text, 'json')
    expect(gaps).toEqual([])
    expect(lines).toEqual([
      {
        at: 1794775118692,
        readAt: 1794775118692,
        monotonicUs: 1923112705,
        bootId: 'c1220dc1879e4c20aef872ba764e07c7',
        host: 'node-1',
        unit: 'kubelet.service',
        identifier: 'kubelet',
        pid: 28196,
        comm: 'kubelet',
        priority: 6,
        transport: 'stdout',
        message: 'ready',
      },
    ])
  })

  it.each([
    ['text', 'plain', 'plain'],
    ['bytes', [...Buffer.from('\u001b[1mgrün')], '\u001b[1mgrün'],
    ['null, because it is too long', null, null],
    ['several texts', ['one', 'two'], 'one\ntwo'],
    ['text and bytes', ['one', [116, 119, 111]], 'one\ntwo'],
    ['a number', 7, null],
    ['nothing', [], null],
  ])('reads a message that is %s', async (_, message, expected) => {
    expect(messages(await gather(entry({ MESSAGE: message }), 'json'))).toEqual([expected])
  })

  it('gives kernel lines that were read late the time at which they happened', async () => {
    const late = { _TRANSPORT: 'kernel', _SOURCE_MONOTONIC_TIMESTAMP: '1000000', MESSAGE: 'late' }
    const soon = { _TRANSPORT: 'kernel', _SOURCE_MONOTONIC_TIMESTAMP: '1923104596', MESSAGE: 'soon' }
    const sent = { _SOURCE_REALTIME_TIMESTAMP: '1794775018692946', MESSAGE: 'sent' }
    const { lines } = await gather(`${entry(late)}${entry(soon)}${entry(sent)}`, 'json')
    expect(lines.map(({ at, readAt }) => readAt - at)).toEqual([1_922_112, 0, 100_000])
  })

  it('keeps the lines of the window, both ends included, and lines that come twice', async () => {
    const at = (ms: number): string => entry({ __REALTIME_TIMESTAMP: `${ms}500`, MESSAGE: `${ms}` })
    const text = [999, 1000, 1000, 2000, 2001].map(at).join('')
    expect(messages(await gather(text, 'json', { since: 1000, until: 2000 }))).toEqual(['1000', '1000', '2000'])
  })

  it('takes a byte order mark, CRLF, empty lines and the remarks of journalctl', async () => {
    const text = `\uFEFF-- Logs begin at Sun --\r\n\r\n${entry({}).replace('\n', '\r\n')}-- No entries --\n`
    const reading = await gather(text, 'json')
    expect(messages(reading)).toEqual(['x'])
    expect(reading.gaps).toEqual([])
  })

  it('counts unreadable lines, says what is wrong, and quotes nothing', async () => {
    const reading = await gather(`${entry({})}<html>hunter2\n[1]\n{"MESSAGE":"x"}\n`, 'json')
    expect(messages(reading)).toEqual(['x'])
    expect(reading.gaps).toEqual([
      { code: 'malformed', detail: "3 of 4 lines are unreadable: Unexpected token '<' in JSON" },
    ])
  })

  it('says that a last line is cut', async () => {
    const reading = await gather(`${entry({})}${entry({}).slice(0, 50)}`, 'json')
    expect(messages(reading)).toEqual(['x'])
    expect(codes(reading)).toEqual(['truncated'])
    expect(codes(await gather(entry({}).trimEnd(), 'json'))).toEqual([])
  })

  it('stops at the limit of lines and says so', async () => {
    const reading = await gatherJournal(splitChunks(entry({}).repeat(5)), { format: 'json', window: {}, maxLines: 3 })
    expect(reading.lines).toHaveLength(3)
    expect(codes(reading)).toEqual(['truncated'])
  })

  it('sees in a hint about rights that lines of others are missing', async () => {
    const hint =
      "Hint: You are currently not seeing messages from other users and the system.\n      Users in groups 'adm' can see all messages.\n      Pass -q to turn off this notice.\n"
    expect(codes(await gather(`${hint}${entry({})}`, 'json'))).toEqual(['forbidden'])
    expect(codes(await gather(`${hint}2026-11-15T20:38:00Z n k: x\n`, 'short-iso'))).toEqual(['forbidden'])
  })
})

describe('journalctl -o short-iso', () => {
  it.each([
    ['2026-11-15T20:38:00+0000', '2026-11-15T20:38:00.000Z'],
    ['2026-11-15T22:38:00+02:00', '2026-11-15T20:38:00.000Z'],
    ['2026-11-15T15:08:00-0530', '2026-11-15T20:38:00.000Z'],
    ['2026-11-15T20:38:00Z', '2026-11-15T20:38:00.000Z'],
    ['2026-11-15T20:38:00.193367+0000', '2026-11-15T20:38:00.193Z'],
    ['2026-11-15T20:38:00,193367+00:00', '2026-11-15T20:38:00.193Z'],
  ])('reads the time %s', async (printed, expected) => {
    const { lines, gaps } = await gather(`${printed} node-1 kubelet[28196]: I1115 x: y\n`, 'short-iso')
    expect(gaps).toEqual([])
    expect(lines.map((line) => new Date(line.at).toISOString())).toEqual([expected])
    expect(lines[0]).toMatchObject({ host: 'node-1', identifier: 'kubelet', pid: 28196, message: 'I1115 x: y' })
  })

  it('reads kernel lines, names with blanks, messages over several lines, withheld ones and boots', async () => {
    const boot = 'c1220dc1879e4c20aef872ba764e07c7'
    const text = [
      '-- Journal begins at Sun 2026-11-15 --',
      '2026-11-15T20:38:00Z n kernel: Memory cgroup out of memory: Killed process 7',
      `-- Boot ${boot} --`,
      '2026-11-15T20:38:01Z n my agent[7]: one',
      '                              two',
      '2026-11-15T20:38:02Z n runc[8]: [20B blob data]',
      '',
    ].join('\n')
    const { lines, gaps } = await gather(text, 'short-iso')
    expect(gaps).toEqual([])
    expect(lines).toMatchObject([
      { identifier: 'kernel', transport: 'kernel', pid: null, bootId: null },
      { identifier: 'my agent', pid: 7, message: 'one\ntwo', bootId: boot },
      { identifier: 'runc', message: null },
    ])
  })

  it('takes the whole second of a line without fractions as its time', async () => {
    const since = Date.parse('2026-11-15T20:38:00.700Z')
    expect((await gather('2026-11-15T20:38:00Z n k: x\n', 'short-iso', { since })).lines).toHaveLength(1)
    expect((await gather('2026-11-15T20:37:59Z n k: x\n', 'short-iso', { since })).lines).toHaveLength(0)
  })

  it('counts what has no time, and a last line that nothing ends is cut', async () => {
    const reading = await gather('of a line\n2026-11-15T20:38:00Z n k: x\n2026-11-15T20:38:01Z n k: ab', 'short-iso')
    expect(messages(reading)).toEqual(['x'])
    expect(codes(reading)).toEqual(['malformed', 'truncated'])
  })
})

describe('a journal that is damaged', () => {
  const whole = { json: entry({ MESSAGE: 'a' }).repeat(20), 'short-iso': '2026-11-15T20:38:00Z n k[1]: x\n'.repeat(20) }

  it('never throws, never says "none", and never invents a line, a thousand times', { timeout: 180_000 }, async () => {
    const damage = fc.oneof(
      fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
      fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), with: fc.integer({ min: 1, max: 255 }) }),
      fc.record({
        kind: fc.constant('insert' as const),
        at: fc.nat(),
        with: fc.constantFrom('<html>\n', '\u0000', '{}\n', 'null\n', '"\n', '[[[[\n'),
      }),
    )
    const format = fc.constantFrom<JournalFormat>('json', 'short-iso')
    await fc.assert(
      fc.asyncProperty(format, fc.array(damage, { minLength: 1, maxLength: 4 }), async (kind, damages) => {
        let bytes = Buffer.from(whole[kind])
        for (const each of damages) {
          const at = each.at % Math.max(1, bytes.length)
          if (each.kind === 'cut') bytes = bytes.subarray(0, Math.max(1, at))
          if (each.kind === 'flip') bytes[at] = (bytes[at] ?? 0) ^ each.with
          if (each.kind === 'insert')
            bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(each.with), bytes.subarray(at)])
        }
        const reading = await gather(bytes, kind)
        expect(reading.lines.length).toBeLessThanOrEqual(21)
        expect(observeLines(reading.lines, reading.gaps).kind).not.toBe('none')
        for (const gap of reading.gaps) expect(gap.detail).not.toBe('')
      }),
      { numRuns: draws(1000), seed: 3 },
    )
  })
})
