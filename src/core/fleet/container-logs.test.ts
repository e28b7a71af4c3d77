import { describe, expect, it } from 'vitest'
import { quote } from './container-logs.ts'

describe('a quoted line', () => {
  it('is whole if it is short', () => {
    expect(quote('  Listening for Jobs ')).toBe('Listening for Jobs')
  })

  it.each([3980, 3983, 3996])('is cut before a token, never inside (%i)', (length) => {
    const line = `${'x '.repeat(length / 2)}ghp_aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5 and more`
    expect(quote(line)).not.toContain('ghp_')
    expect(quote(line).endsWith('…')).toBe(true)
  })
})
