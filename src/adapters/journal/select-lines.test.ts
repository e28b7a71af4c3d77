import { describe, expect, it } from 'vitest'
import { createLineSelector } from './select-lines.ts'
import type { SelectorOptions } from './select-lines.ts'

const UID = '0e6c1f0a-7d5e-4d0e-9a53-1f0a7d5e4d0e'
const ID = 'ab'.repeat(32)
const AT = 1_800_000_000_000
const death = { uid: UID, containerIds: [ID], at: AT }

const line = (at: number, message: string, identifier = 'cron'): string =>
  `${JSON.stringify({ __REALTIME_TIMESTAMP: String(at * 1000), SYSLOG_IDENTIFIER: identifier, MESSAGE: message })}\n`

function select(lines: readonly string[], more: Partial<SelectorOptions> = {}) {
  const selector = createLineSelector({ maxBytes: 1_000_000, deaths: [death], end: AT, ...more })
  for (const one of lines) selector.push(Buffer.from(one.slice(0, -1)))
  const { lines: held, ...rest } = selector.selection()
  return { ...rest, held: held.map((bytes) => Buffer.from(bytes).toString()), isFull: selector.isFull() }
}

describe('what is selected of a journal', () => {
  it('is all of it where it fits', () => {
    const lines = [line(AT, 'x'), 'no line of a journal\n', line(AT - 5000, 'y', 'kubelet')]
    expect(select(lines)).toEqual({
      held: lines,
      around: null,
      oldest: AT - 5000,
      newest: AT,
      gaps: [],
      isFull: false,
    })
  })

  it.each([
    ['the kernel', line(AT - 3_000_000, 'x').replace('{', '{"_TRANSPORT":"kernel",')],
    ['the kubelet', line(AT - 3_000_000, 'x', 'kubelet')],
    ['the runtime', line(AT - 3_000_000, 'x', 'containerd')],
    ['systemd', line(AT - 3_000_000, 'x', 'systemd')],
    ['systemd-oomd', line(AT - 3_000_000, 'x', 'systemd-oomd')],
    ['whoever names the pod', line(AT - 3_000_000, `pod${UID.replaceAll('-', '_')}.slice`)],
    ['whoever names its container', line(AT - 3_000_000, `"${ID}"`)],
  ])('above the bound is what is of %s, however far from the death, before all others', (_, wanted) => {
    const others = Array.from({ length: 1000 }, (_one, index) => line(AT - index * 10, 'x'.repeat(100)))
    const { held, gaps, around } = select([...others.slice(0, 500), wanted, ...others.slice(500)], { maxBytes: 10_000 })
    expect(held).toContain(wanted)
    expect(Buffer.byteLength(held.join(''))).toBeLessThanOrEqual(10_000)
    expect(around).toBeNull()
    expect(gaps).toEqual([
      {
        code: 'too-large',
        detail: expect.stringMatching(
          /^the journal of the window has more than 0\.0 MiB: \d{3} lines \(0\.2 MiB\) of programs other than .* left out$/,
        ) as string,
      },
    ])
  })

  it('is nearest to the deaths where that is still too much, and says how near', () => {
    const second = { ...death, uid: 'another', at: AT - 600_000 }
    const lines = Array.from({ length: 1000 }, (_, index) => line(AT - index * 1000, 'x'.repeat(900), 'kubelet'))
    const { held, around, gaps, isFull } = select(lines, { maxBytes: 100_000, deaths: [death, second] })
    const times = held.map((one) => Number((JSON.parse(one) as Record<string, string>)['__REALTIME_TIMESTAMP']) / 1000)
    const nearest = (time: number): number => Math.min(Math.abs(time - AT), Math.abs(time - second.at))
    expect(around).toBeGreaterThan(20_000)
    const all = lines.filter((_, index) => nearest(AT - index * 1000) < (around ?? 0))
    expect(held).toEqual(expect.arrayContaining(all))
    expect(times.every((time) => nearest(time) <= (around ?? 0))).toBe(true)
    expect(gaps).toMatchObject([{ code: 'truncated', detail: expect.stringMatching(/8\d\d lines/) as string }])
    expect(isFull).toBe(true)
  })

  it('is the end where no death is named', () => {
    const lines = Array.from({ length: 100 }, (_, index) => line(AT - index * 1000, 'x'.repeat(900)))
    expect(select(lines, { maxBytes: 5000, deaths: [] }).held).toEqual(lines.slice(0, 5))
  })

  it('counts lines that are too long to be held', () => {
    const selector = createLineSelector({ maxBytes: 1000, deaths: [], end: AT })
    selector.skipOverlong()
    expect(selector.selection().gaps).toMatchObject([
      { code: 'too-large', detail: expect.stringMatching(/^1 lines/) as string },
    ])
  })
})
