import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScrub } from './scrub.ts'
import { Secret } from '#/core/basics/secret.ts'

describe('scrubbing of foreign text', () => {
  it('hides remembered values of any shape, also where they are cut by the length limit', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 60 }), fc.integer({ min: 60, max: 105 }), (value, at) => {
        fc.pre(/^\S+$/u.test(value) && !'‹redacted:credential›'.includes(value))
        const scrub = createScrub()
        scrub.remember(value)
        const text = scrub.text(`${'. '.repeat(at)}${value}`)
        expect(text).not.toContain(value)
        expect(text).not.toContain(value.slice(0, 7))
      }),
    )
  })

  it.each([
    ['an installation token', `ghs_${'a'.repeat(36)}`],
    ['a stateless installation token', `ghs_1_${'a'.repeat(40)}.${'b'.repeat(80)}.${'c'.repeat(20)}`],
    ['a fine-grained token', `github_pat_${'a'.repeat(59)}`],
    ['a JWT', `eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.${'s'.repeat(60)}`],
    ['a JIT configuration', Buffer.from(JSON.stringify({ '.runner': 'x'.repeat(200) })).toString('base64')],
    ['an old token', 'dead2026'.repeat(5)],
  ])('hides %s by its shape', (_name, value) => {
    const text = createScrub().text(`You sent Bearer ${value}, thank you`)
    expect(text).not.toContain(value.slice(5, 30))
  })

  it('leaves what a person needs: the words, names of runners and permissions', () => {
    const words =
      'Runner "linux-4vcpu-runner-48379681-a1b2c3d4" is still running a job; needs organization_self_hosted_runners=write'
    expect(createScrub().text(words)).toBe(words)
  })

  it('gives one short line without control characters', () => {
    const text = createScrub().text(`a\r\nb\u0000\u001B[31mc ${'word '.repeat(200)}`)
    expect(text).toMatch(/^a b \[31mc word/u)
    expect(text.length).toBeLessThanOrEqual(201)
  })

  it('forgets the oldest values, never the newest', () => {
    const scrub = createScrub()
    for (let index = 0; index < 200; index += 1) scrub.remember(`value-${index}!`)
    expect(scrub.text('value-199!')).not.toContain('value-199')
  })
})

describe('a secret', () => {
  it('shows its kind in every print and its value only to who asks for it', () => {
    const hidden = new Secret('token', 'swordfish')
    const error = new Error('x', { cause: { hidden } })
    const prints = [
      String(hidden),
      JSON.stringify({ hidden }),
      inspect({ hidden }, { showHidden: true, depth: 9 }),
      inspect(error, { showHidden: true, depth: 9 }),
      JSON.stringify(Object.entries(hidden)),
    ]
    for (const print of prints) expect(print).not.toContain('swordfish')
    expect(prints[0]).toBe('‹redacted:token›')
    expect(hidden.reveal()).toBe('swordfish')
  })
})
