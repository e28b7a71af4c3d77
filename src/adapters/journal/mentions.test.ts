import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JournalReading, JournalWindow } from '#/ports/journal.ts'
import { draws } from '#test/tiers/long-run.ts'
import { gatherJournal, observeJournal } from './gather-journal.ts'
import type { JournalFormat } from './journal-format.ts'

async function* splitChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

function gather(
  text: string | Uint8Array,
  format: JournalFormat,
  window: JournalWindow,
  size = 1000,
): Promise<JournalReading> {
  return gatherJournal(splitChunks(Buffer.from(text), size), { format, window, maxLines: 10_000 })
}

const messages = ({ lines }: JournalReading): readonly (string | null)[] => lines.map(({ message }) => message)

function entry(fields: Readonly<Record<string, unknown>>): string {
  const always = { __REALTIME_TIMESTAMP: '1794775118692946', __MONOTONIC_TIMESTAMP: '1923112705', MESSAGE: 'x' }
  return `${JSON.stringify({ ...always, ...fields })}\n`
}

describe('lines that mention something', () => {
  const said = ['pod "runner-1" was KILLED', 'C:\\temp', 'line one\nline two', 'nothing']
  const journal = {
    json: said.map((message) => entry({ MESSAGE: message })).join(''),
    'short-iso': said.map((message) => `2026-11-15T20:38:00Z n k[1]: ${message.replace('\n', '\n    ')}\n`).join(''),
  }

  it.each<[JournalFormat, string, string[]]>([
    ['json', '"runner-1"', ['pod "runner-1" was KILLED']],
    ['json', 'killed', ['pod "runner-1" was KILLED']],
    ['json', 'c:\\TEMP', ['C:\\temp']],
    ['json', 'one\nline', ['line one\nline two']],
    ['json', 'nine', []],
    ['short-iso', '"runner-1"', ['pod "runner-1" was KILLED']],
    ['short-iso', 'c:\\TEMP', ['C:\\temp']],
    ['short-iso', 'line two', ['line one\nline two']],
    ['short-iso', 'one\nline', ['line one\nline two']],
  ])('are found in %s by %j', async (format, literal, expected) => {
    const reading = await gather(journal[format], format, { mentions: [literal] })
    expect(messages(reading)).toEqual(expected)
    expect(reading.digest.lines).toBe(said.length)
  })

  it('are not those where only the name of a field or of a program has it', async () => {
    expect(messages(await gather(entry({ _COMM: 'oom', OOM: 'oom' }), 'json', { mentions: ['oom'] }))).toEqual([])
    const text = '2026-11-15T20:38:00Z oom oom[1]: x\n2026-11-15T20:38:01Z n k: y\n'
    expect(messages(await gather(text, 'short-iso', { mentions: ['oom'] }))).toEqual([])
  })

  it('are kept if their message was withheld, because nobody knows what it says', async () => {
    expect(messages(await gather(entry({ MESSAGE: null }), 'json', { mentions: ['oom'] }))).toEqual([null])
    const text = '2026-11-15T20:38:00Z n k[1]: [20B blob data]\n2026-11-15T20:38:01Z n k: y\n'
    expect(messages(await gather(text, 'short-iso', { mentions: ['oom'] }))).toEqual([null])
  })

  it('are all lines where an empty text is asked for, and none where nothing is', async () => {
    expect((await gather(journal.json, 'json', { mentions: [''] })).lines).toHaveLength(said.length)
    expect((await gather(journal.json, 'json', { mentions: [] })).lines).toEqual([])
  })
})

describe('the digest', () => {
  it('gives the first and the last time and the boots of all lines of the window', async () => {
    const line = (second: number, boot: string): string =>
      entry({ __REALTIME_TIMESTAMP: `${second}000000`, _BOOT_ID: boot, MESSAGE: `second ${second}` })
    const text = [line(9, 'a'), line(10, 'a'), line(30, 'a'), line(20, 'b'), line(40, 'b'), line(41, 'b')].join('')
    const { digest, lines } = await gather(text, 'json', { since: 10_000, until: 40_000, mentions: ['second 20'] })
    expect(lines).toHaveLength(1)
    expect(digest).toEqual({
      lines: 4,
      from: 10_000,
      to: 40_000,
      boots: [
        { id: 'a', from: 10_000, to: 30_000 },
        { id: 'b', from: 20_000, to: 40_000 },
      ],
    })
  })

  it('goes by the time at which a line happened, not by that at which it was read', async () => {
    const late = { _SOURCE_MONOTONIC_TIMESTAMP: '1000000', MESSAGE: 'late' }
    const { digest } = await gather(entry(late), 'json', { mentions: ['other'] })
    expect(digest).toMatchObject({ lines: 1, from: 1794775118692 - 1_922_112 })
  })

  it('has the boots that text names between its lines', async () => {
    const boot = 'c1220dc1879e4c20aef872ba764e07c7'
    const at = (second: string): string => `2026-11-15T20:38:${second}Z n k: x\n`
    const text = `${at('00')}${at('01')}-- Boot ${boot} --\n${at('02')}${at('03')}-- Reboot --\n${at('04')}`
    const second = (count: number): number => Date.parse('2026-11-15T20:38:00Z') + count * 1000
    expect((await gather(text, 'short-iso', { mentions: [] })).digest).toEqual({
      lines: 5,
      from: second(0),
      to: second(4),
      boots: [{ id: boot, from: second(2), to: second(3) }],
    })
  })

  it('makes a journal seen of which no line mentions what was asked for', async () => {
    const reading = await gather(entry({}), 'json', { mentions: ['other'] })
    expect(observeJournal(reading)).toMatchObject({ kind: 'seen', value: { lines: [], digest: { lines: 1 } } })
    expect(observeJournal(await gather('', 'json', { mentions: ['other'] }))).toEqual({ kind: 'none' })
    expect(observeJournal(await gather('<html>\n', 'json', { mentions: ['other'] })).kind).toBe('blind')
  })

  it('does not remember more boots than a machine ever had, and says so', async () => {
    const text = Array.from({ length: 10_001 }, (_, index) => entry({ _BOOT_ID: `boot-${index}` })).join('')
    const reading = await gather(text, 'json', { mentions: [] }, 65_536)
    expect(reading.digest.boots).toHaveLength(10_000)
    expect(reading.gaps).toEqual([{ code: 'malformed', detail: 'the lines name more than 10000 boots' }])
  })
})

const LITERALS = ['oom', '"q"', 'a\\b', 'é', '\n', 'x\ny', '\uFFFD', 'k: ', '\t', '/o', ' ']

/** Whatever a journal may hold: what journalctl prints, what other tools make of it, and what is broken. */
const text = fc.string({
  unit: fc.constantFrom('o', 'O', 'm', '"q"', 'a\\b', '\n', '\t', '/', 'é', 'É', '\uFFFD', ' ', 'k: '),
})
const microseconds = fc.integer({ min: 0, max: 40_000_000 }).map(String)
const fields = fc.record(
  {
    __REALTIME_TIMESTAMP: fc.oneof(
      { weight: 9, arbitrary: microseconds },
      fc.constantFrom('', 'x', '-1', '9'.repeat(17)),
    ),
    __MONOTONIC_TIMESTAMP: fc.oneof(microseconds, fc.constant('no')),
    _SOURCE_MONOTONIC_TIMESTAMP: microseconds,
    _SOURCE_REALTIME_TIMESTAMP: fc.oneof(microseconds, fc.integer(), fc.constant(['7', '8'])),
    _BOOT_ID: fc.constantFrom('a', 'b', 'a\\"'),
    _PID: fc.constantFrom('1', '01', 'x'),
    UNIT: text,
    _COMM: text,
    MESSAGE_ID: text,
    _P: text,
    '\u00e9': text,
    MESSAGE: fc.oneof(
      { weight: 6, arbitrary: text },
      fc.constantFrom(null, 7, [], ['oom', 'x'], [111, 111, 109], { oom: 1 }),
    ),
  },
  { requiredKeys: ['__REALTIME_TIMESTAMP'] },
)
const jsonLine = fc.oneof(
  { weight: 8, arbitrary: fields.map((value) => JSON.stringify(value)) },
  fields.map((value) => JSON.stringify(value).replaceAll('o', '\\u006f')),
  fields.map((value) => JSON.stringify(value).replaceAll('/', '\\/')),
  fields.map((value) => JSON.stringify(value, null, 1).replaceAll('\n', ' ')),
  fields.map((value) => `${JSON.stringify(value).slice(0, -1)},"MESSAGE":"oom","_BOOT_ID":"c"}`),
  fields.map((value) => JSON.stringify(value).slice(0, -3)),
  fc.constantFrom('', '{}', '{"":""}', '-- No entries --', '<html>', 'Hint: You are currently not seeing messages'),
)
const isoLine = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.constantFrom('2026-11-15T20:38:', '2026-11-15T23:59:', '2026-11-15T24:00:', '1969-12-31T23:59:'),
        fc.constantFrom('00', '01', '07', '59', '60', 'x'),
        fc.constantFrom('', '.1', ',193367', '.0', '.1234567890', '.'),
        fc.constantFrom('Z', '+0000', '+02:00', '-0530', ''),
        fc.constantFrom(
          ' n k[1]: ',
          ' n my agent[7]: ',
          ' n kernel: ',
          ' n : ',
          ' n: ',
          ' né k: ',
          ' n ké: ',
          ' n k\u2028: ',
          '  k: ',
          ' n k',
        ),
        text,
      )
      .map((parts) => parts.join('')),
  },
  text.map((value) => `    ${value}`),
  fc.constantFrom('-- Boot c1220dc1879e4c20aef872ba764e07c7 --', '-- Reboot --', '', '2026 n k: x', '7'),
  fc.constantFrom('[20B blob data]', '[x] oom', '').map((value) => `2026-11-15T20:38:00Z n k: ${value}`),
)
const makeJournal = (line: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(
      fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'))),
      fc.constantFrom('', '\uFEFF'),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([lines, mark, isCut, isBroken]) => {
      const bytes = Buffer.from(`${mark}${lines.flat().join('')}`)
      const broken = isBroken ? bytes.map((byte) => (byte === 0xc3 ? 0xff : byte)) : bytes
      return broken.subarray(0, isCut ? -1 : undefined)
    })

describe('a journal of any kind', () => {
  const window = fc.record(
    { since: fc.integer({ min: 0, max: 40_000 }), until: fc.integer({ min: 0, max: 40_000 }) },
    { requiredKeys: [] },
  )
  const journal = fc.oneof(
    fc.tuple(fc.constant<JournalFormat>('json'), makeJournal(jsonLine)),
    fc.tuple(fc.constant<JournalFormat>('short-iso'), makeJournal(isoLine)),
  )

  it(
    'gives with `mentions` what it gives without, less the lines that mention none of them',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          journal,
          window,
          fc.subarray(LITERALS),
          fc.constantFrom(3, 40, 10_000),
          async ([format, bytes], span, literals, size) => {
            const all = await gather(bytes, format, span, size)
            const some = await gather(bytes, format, { ...span, mentions: literals }, size)
            const wanted = all.lines.filter(
              ({ message }) =>
                message === null || literals.some((literal) => asciiLower(message).includes(asciiLower(literal))),
            )
            expect(some.lines).toEqual(wanted)
            expect(some.digest).toEqual(all.digest)
            expect(some.gaps).toEqual(all.gaps)
            expect(all.digest.lines).toBe(all.lines.length)
          },
        ),
        { numRuns: draws(1500) },
      )
    },
  )

  it('takes no rest of a line for a line, wherever a chunk begins', async () => {
    const inside = async (before: string, rest: string, format: JournalFormat): Promise<JournalReading> => {
      async function* chunks(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(before)
        yield Buffer.from(rest)
      }
      return gatherJournal(chunks(), { format, window: {}, maxLines: 10 })
    }
    const json = await inside('cut', entry({}), 'json')
    const line = '2026-11-15T20:38:00Z n k: x\n'
    const iso = await inside('-', `${line}${line}`, 'short-iso')
    expect([messages(json), messages(iso)]).toEqual([[], ['x']])
  })

  it('gives the same in chunks of any size, skimmed or parsed', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(journal, async ([format, bytes]) => {
        // No line that can be skimmed is so short, so that every line is parsed.
        expect(await gather(bytes, format, {}, 100_000)).toEqual(await gather(bytes, format, {}, 7))
      }),
      { numRuns: draws(1500) },
    )
  })
})

function asciiLower(value: string): string {
  return value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
