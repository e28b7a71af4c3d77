import { describe, expect, it } from 'vitest'

import { createLog } from '#/adapters/log/create-log.ts'
import type { LogOptions } from '#/adapters/log/create-log.ts'

function logging(overrides: Partial<LogOptions> = {}) {
  const lines: string[] = []
  const clock = { now: () => Date.UTC(2026, 5, 6), sleep: async () => {} }
  const log = createLog({
    level: 'info',
    format: 'json',
    clock,
    write: (line) => lines.push(line),
    redact: (text) => text,
    ...overrides,
  })
  return { log, lines }
}

describe('the log', () => {
  it('is one JSON object a line, with stable keys', () => {
    const { log, lines } = logging()
    log.info('a runner died', { pod: 'p', exitCode: 137 })
    expect(lines).toEqual([
      '{"time":"2026-06-06T00:00:00.000Z","level":"info","msg":"a runner died","pod":"p","exitCode":137}',
    ])
  })

  it('is readable for a person, with quotes only where they are needed', () => {
    const { log, lines } = logging({ format: 'text' })
    log.warn('slow', { node: 'n 7', ms: 3 })
    expect(lines).toEqual(['2026-06-06T00:00:00.000Z warn  slow node="n 7" ms=3'])
  })

  it('leaves out what is below its level', () => {
    const { log, lines } = logging({ level: 'warn' })
    log.debug('x')
    log.info('x')
    log.error('x')
    expect(lines).toHaveLength(1)
  })

  it.each(['json', 'text'] as const)('shows what would move the cursor or turn the direction: %s', (format) => {
    const { log, lines } = logging({ format })
    const hostile = 'n\u001B[31m\u009B1m\u202E'
    log.info('a runner died', { node: hostile, message: `${hostile} x` })
    expect(lines[0]).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
    expect(lines[0]).toContain(String.raw`n\u001b[31m\u009b1m\u202e`)
    if (format === 'json') expect(JSON.parse(lines[0] ?? '')).toMatchObject({ node: hostile })
  })

  it('redacts messages and fields alike', () => {
    const { log, lines } = logging({ redact: (text) => text.replaceAll('ghs_secret', '‹redacted›') })
    log.info('token ghs_secret', { header: 'Bearer ghs_secret' })
    expect(lines[0]).not.toContain('ghs_secret')
  })
})
