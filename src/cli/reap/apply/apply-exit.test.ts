import { describe, expect, it } from 'vitest'
import { applyExit } from './apply-exit.ts'
import type { AppliedDecision } from './applied.ts'

describe('the exit code of reap --apply', () => {
  it.each<readonly [string, readonly AppliedDecision[], boolean, number]>([
    ['0 without candidates', [], false, 0],
    ['0 if all were removed or gone', ['removed', 'vanished'], false, 0],
    ['1 if one failed, whatever was refused', ['removed', 'refused', 'failed'], false, 1],
    ['4 if one was refused', ['removed', 'refused'], false, 4],
    ['4 if a blind gate refused one and another was removed', ['removed', 'blind'], false, 4],
    ['3 if all are blind', ['blind', 'blind'], false, 3],
    ['3 without candidates if a policy could not be judged', [], true, 3],
  ])('is %s', (_title, decisions, isUnjudged, expected) => {
    const applied = decisions.map((decision) => ({ decision, freed: null }))
    expect(applyExit(applied, { isUnjudged })).toBe(expected)
  })

  it('is 1 if a freed set has no new listener', () => {
    const freed = { kind: 'still-wedged', why: 'no AutoscalingListener' } as const
    expect(applyExit([{ decision: 'removed', freed }], { isUnjudged: false })).toBe(1)
  })
})
