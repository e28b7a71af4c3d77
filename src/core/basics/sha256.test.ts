import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sha256 } from './sha256.ts'

describe('SHA-256', () => {
  it('is what the platform computes, for every length around the block boundaries', () => {
    for (let length = 0; length < 260; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length * 7) % 256)
      expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'))
    }
  })

  it('is what the platform computes for a long text', () => {
    const bytes = new TextEncoder().encode('registry.example.com '.repeat(5_000))
    expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'))
  })
})
