import { describe, expect, it } from 'vitest'
import { printMeta } from '#/core/evidence/bundle-meta.ts'
import { packEvidence } from './judging.ts'

const META = printMeta({ collectedAt: 1, subject: {}, sources: new Map() })
const part = (source: string, content: string) =>
  ({ source, observed: 'seen', reason: null, content: Buffer.from(content) }) as const

describe('evidence that is packed', () => {
  it('is said not to be kept where there is none, and fails where it is kept and cannot be packed', async () => {
    expect(await packEvidence([])).toMatch(/^no evidence is kept/)
    const unpackable = [part('meta.json', META), part('../outside.json', '{}')]
    await expect(packEvidence(unpackable)).rejects.toThrow(/cannot be written/)
  })
})
