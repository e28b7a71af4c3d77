import { describe, expect, it } from 'vitest'

import { CAUSES } from '#/causes/index.ts'
import { JUDGED_BUNDLES } from '#test/bundles/known-bundles.ts'
import { judgeKnown, openKnown } from '#test/bundles/open-known.ts'

describe('the verdict on a bundle whose answer is known', () => {
  it.each(JUDGED_BUNDLES.map(({ name, archive, expected }) => [name, expected.cause, archive, expected] as const))(
    '%s is %s',
    async (_name, _cause, archive, expected) => {
      await using bundle = await openKnown(archive)
      const judged = await judgeKnown(bundle)
      const verdict = judged?.verdict
      expect([expected.cause, ...expected.acceptable]).toContain(verdict?.cause)
      expect(expected.mustNotBe).not.toContain(verdict?.cause)
      if (expected.actor !== null) expect(verdict?.actor).toContain(expected.actor)
      if (expected.maxConfidence !== null) expect(verdict?.confidence).toBeLessThanOrEqual(expected.maxConfidence)
      expect(verdict?.sentence).toMatch(/^[A-Z].*\.$/s)
      expect(verdict?.next).not.toEqual([])
    },
  )

  it('covers at least eighty bundles, twenty of them traps, and every cause', () => {
    const reached = new Set(JUDGED_BUNDLES.map(({ expected }) => expected.cause))
    expect(CAUSES.filter(({ id }) => !reached.has(id)).map(({ id }) => id)).toEqual([])
    expect(JUDGED_BUNDLES.length).toBeGreaterThanOrEqual(80)
    expect(JUDGED_BUNDLES.filter(({ expected }) => typeof expected.trap === 'string').length).toBeGreaterThanOrEqual(20)
  })
})
