import { describe, expect, it } from 'vitest'
import { redact } from '#/adapters/redaction/redact.ts'
import { findSecrets } from '#/core/redaction/secret-search.ts'
import { measureCpuMs } from '#test/core/cpu-time.ts'
import { sampled } from '#test/tiers/long-run.ts'
import { FEEDERS, feed } from './hostile.ts'

const SMALL = 64 * 1024
const LARGE = 1024 * 1024
/** A quadratic cost grows by 256. What is left above 16 is for a busy machine. */
const MOST_GROWTH = 80
/** Below this a clock is too coarse for a ratio. */
const LEAST_MS = 8
const TRIES = 3

/** The growth of the cost, of the best of some tries. */
function growth(work: (length: number) => void): number {
  const costs = Array.from({ length: TRIES }, () => {
    const small = measureCpuMs(() => work(SMALL))
    return measureCpuMs(() => work(LARGE)) / Math.max(small, LEAST_MS)
  })
  return Math.min(...costs)
}

describe('the cost of redaction', () => {
  it('grows with the input and no faster, for every literal in every hostile text', { timeout: 3_600_000 }, () => {
    const steep = sampled(FEEDERS, 29)
      .map((feeder) => {
        const texts = new Map([SMALL, LARGE].map((length) => [length, feed(feeder, length)]))
        return { name: feeder.name, growth: growth((length) => findSecrets(texts.get(length) ?? '')) }
      })
      .filter((measured) => measured.growth > MOST_GROWTH)
    expect(steep).toEqual([])
  })

  it.each([
    ['base64 on lines', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF\n'],
    ['keys that begin and do not end', '-----BEGIN PRIVATE KEY-----\n'],
    ['keys that begin, and words', '-----BEGIN PRIVATE KEY-----\nword word\n'],
    ['documents', '{"token":{"a":"b"}}\n'],
    ['brackets and names', 'token]\n'],
    ['job messages', 'Job message:\n{\n'],
    [
      'base64 that holds base64',
      `${Buffer.from(Buffer.from('token=aB3dE6gH9jK2mN5pQ8sT'.repeat(9)).toString('base64')).toString('base64')} `,
    ],
    ['spaces', ' '],
    ['carriage returns', '\r'],
    ['line feeds', '\n'],
  ])('grows with the input and no faster, for %s', { timeout: 300_000 }, (_, piece) => {
    const texts = new Map([SMALL, LARGE].map((length) => [length, piece.repeat(Math.ceil(length / piece.length))]))
    expect(growth((length) => redact(texts.get(length) ?? ''))).toBeLessThan(MOST_GROWTH)
  })
})

describe('a line that is too long', () => {
  const token = `ghp_${'aB3dE6gH9'.repeat(4)}`

  it('of 5.6 MB of base64 is cut, not searched', () => {
    expect(redact('aB3/'.repeat(1_400_000))).toBe('‹redacted:overlong-line›')
  })

  it('keeps its beginning up to a word, and says that it was cut', () => {
    const redacted = redact(`${'word '.repeat(20_000)}\nnext`)
    expect(redacted).toMatch(/^(?:word ){13000,13110}‹redacted:overlong-line›\nnext$/)
    expect(redact(redacted)).toBe(redacted)
  })

  it('shows no part of a secret that lies across the cut', () => {
    for (let before = 65_460; before < 65_540; before += 1) {
      const redacted = redact(`${'word '.repeat(before / 5)}${'x'.repeat(before % 5)} ${token} ${'word '.repeat(9)}`)
      expect(redacted).not.toContain('aB3')
    }
  })

  it('shows no part of a password of a URL or of quoted words that lie across the cut', () => {
    for (let before = 65_440; before < 65_540; before += 7) {
      const start = 'x '.repeat(before / 2)
      expect(redact(`${start}https://me:correct,horse;battery,staple@example.com/ ${'y '.repeat(99)}`)).not.toContain(
        'horse',
      )
      expect(redact(`${start}password="correct horse battery staple" ${'y '.repeat(99)}`)).not.toContain('horse')
    }
  })
})
