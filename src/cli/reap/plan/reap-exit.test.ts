import { describe, expect, it } from 'vitest'
import type { Decision } from '#/core/interlock/decide.ts'
import type { ReapAnswer } from './look.ts'
import { reapExit } from './reap-exit.ts'

const exit = (decisions: readonly Decision[], isUnjudged = false): number =>
  reapExit({
    planned: decisions.map((decision) => ({ decision }) as ReapAnswer['planned'][number]),
    unjudged: isUnjudged ? [{} as ReapAnswer['unjudged'][number]] : [],
  })

describe('the exit code of reap', () => {
  it.each<readonly [string, readonly Decision[], boolean, number]>([
    ['0 without candidates', [], false, 0],
    ['0 if all would be removed', ['would-remove', 'would-remove'], false, 0],
    ['0 if one policy could not be judged and another could', ['would-remove'], true, 0],
    ['4 if one is refused', ['would-remove', 'refused', 'blind'], false, 4],
    ['4 if one is refused and a policy could not be judged', ['refused'], true, 4],
    ['4 if a blind gate refused what another would remove', ['would-remove', 'blind'], false, 4],
    ['3 if all are blind', ['blind', 'blind'], false, 3],
    ['3 without candidates if a policy could not be judged', [], true, 3],
  ])('is %s', (_title, decisions, isUnjudged, expected) => {
    expect(exit(decisions, isUnjudged)).toBe(expected)
  })
})
