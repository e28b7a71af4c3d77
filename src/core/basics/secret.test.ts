import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'

import { Secret } from './secret.ts'

describe('a secret', () => {
  const secret = new Secret('token', 'hunter2')

  it('is shown by its kind, however it is printed', () => {
    const shown = [secret.toString(), JSON.stringify({ secret }), inspect({ deep: [secret] }), [secret].join()]
    for (const text of shown) {
      expect(text).toContain('‹redacted:token›')
      expect(text).not.toContain('hunter2')
    }
    expect(Object.values(secret)).toEqual([])
  })

  it('is returned only by reveal', () => {
    expect(secret.reveal()).toBe('hunter2')
  })
})
