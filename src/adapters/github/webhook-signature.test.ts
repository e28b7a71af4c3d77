import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Secret } from '#/core/basics/secret.ts'
import { LARGEST_WEBHOOK_BYTES, verifySignature } from './webhook-signature.ts'

const OLD = new Secret('webhook', 'old secret')
const NEW = new Secret('webhook', 'new secret')
const sign = (key: string, body: Uint8Array) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`

describe('the signature of a webhook', () => {
  it('matches the example that GitHub publishes', () => {
    const example = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    const key = new Secret('webhook', "It's a Secret to Everybody")
    expect(verifySignature([key], Buffer.from('Hello, World!'), example)).toBe('valid')
  })

  it('is valid by each of the secrets during a rotation', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('old secret', 'new secret'), (body, key) => {
        expect(verifySignature([OLD, NEW], body, sign(key, body))).toBe('valid')
      }),
    )
  })

  it('does not match other bytes, another secret, or no secret', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (body, at) => {
        const header = sign('new secret', body)
        const changed = Uint8Array.from(body)
        changed[at % body.length]! ^= 1
        expect(verifySignature([OLD, NEW], changed, header)).toBe('mismatch')
        expect(verifySignature([OLD], body, header)).toBe('mismatch')
        expect(verifySignature([], body, header)).toBe('mismatch')
      }),
    )
  })

  it('is never valid by an empty secret', () => {
    const body = Buffer.from('{}')
    expect(verifySignature([new Secret('webhook', '')], body, sign('', body))).toBe('mismatch')
  })

  it.each([
    [undefined, 'missing'],
    ['', 'missing'],
    ['sha1=0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33', 'malformed'],
    ['sha256=', 'malformed'],
    [`sha256=${'0'.repeat(63)}`, 'malformed'],
    [`sha256=${'0'.repeat(65)}`, 'malformed'],
    [`sha256=${'g'.repeat(64)}`, 'malformed'],
    [`sha256=${'0'.repeat(64)}`, 'mismatch'],
  ])('says of the header %j: %s', (header, verdict) => {
    expect(verifySignature([OLD], Buffer.from('{}'), header)).toBe(verdict)
  })

  it('is not computed over more than GitHub sends', () => {
    const body = new Uint8Array(LARGEST_WEBHOOK_BYTES + 1)
    expect(verifySignature([OLD], body, `sha256=${'0'.repeat(64)}`)).toBe('too-large')
  })
})
