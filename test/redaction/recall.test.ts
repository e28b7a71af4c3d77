import { describe, expect, it } from 'vitest'
import { redact } from '#/adapters/redaction/redact.ts'
import { FORMATS } from './formats/index.ts'
import { measureRecall } from './recall.ts'

describe('credentials of many issuers', () => {
  it('are hidden wherever they stand, if they have a form of their own', () => {
    const { tried, misses } = measureRecall(FORMATS, redact, 'neutral')
    expect(tried).toBeGreaterThan(1500)
    // Numbers and hexadecimal digits only: nothing in them differs from an id that a reader needs.
    const formless = new Set(['Asana token', 'Mailgun key (new)'])
    expect(misses.filter(({ format }) => !formless.has(format))).toEqual([])
  })

  it('are hidden behind a name that says what they are, whatever they look like', () => {
    const { tried, misses } = measureRecall(FORMATS, redact, 'named')
    expect(tried).toBeGreaterThan(2400)
    expect(misses).toEqual([])
  })
})
