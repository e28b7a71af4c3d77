import { describe, expect, it } from 'vitest'
import type { GateOutcome } from './check-gates.ts'
import { decide } from './decide.ts'
import type { GateId } from './gate.ts'

const yes = (gate: GateId): GateOutcome => ({ gate, result: { kind: 'holds', proof: 'seen', at: 0 } })
const no = (gate: GateId): GateOutcome => ({ gate, result: { kind: 'refuses', reason: 'seen', at: 0 } })
const unseen = (gate: GateId, code: 'forbidden' | 'not-asked' = 'forbidden'): GateOutcome => ({
  gate,
  result: { kind: 'blind', reason: { code, detail: 'unseen' }, at: 0 },
})
const STEPS: ReadonlySet<GateId> = new Set(['github-deregistered', 'evidence-stored'])

describe('a decision', () => {
  it.each<readonly [string, readonly GateOutcome[], string, GateId | null]>([
    ['removes if every gate holds', [yes('identity'), yes('old-enough')], 'would-remove', null],
    [
      'refuses by the first gate that refuses',
      [yes('identity'), no('old-enough'), no('within-cap')],
      'refused',
      'old-enough',
    ],
    [
      'is blind by the first gate that is',
      [yes('identity'), unseen('github-not-busy'), unseen('complete-read')],
      'blind',
      'github-not-busy',
    ],
    ['refuses, blind gates before it or not', [unseen('github-not-busy'), no('old-enough')], 'refused', 'old-enough'],
    ['leaves a step of the act open', [yes('identity'), unseen('evidence-stored', 'not-asked')], 'would-remove', null],
    [
      'is blind by a step that could not be done',
      [yes('identity'), unseen('evidence-stored', 'forbidden')],
      'blind',
      'evidence-stored',
    ],
    [
      'refuses by a step that was refused',
      [yes('identity'), no('github-deregistered')],
      'refused',
      'github-deregistered',
    ],
    [
      'is blind by any other gate that was not asked',
      [unseen('no-worker-process', 'not-asked')],
      'blind',
      'no-worker-process',
    ],
  ])('%s', (_title, outcomes, decision, decidedBy) => {
    expect(decide(outcomes, STEPS)).toMatchObject({ decision, decidedBy })
  })

  it('names open steps, and never lists them as if they held', () => {
    const outcomes = [
      yes('identity'),
      unseen('github-deregistered', 'not-asked'),
      unseen('evidence-stored', 'not-asked'),
    ]
    const { gates, atAct } = decide(outcomes, STEPS)
    expect(gates).toEqual([yes('identity')])
    expect(atAct).toEqual(['github-deregistered', 'evidence-stored'])
  })

  it('refuses by an open step in an act, which has none to leave open', () => {
    expect(decide([yes('identity'), unseen('evidence-stored', 'not-asked')], new Set())).toMatchObject({
      decision: 'blind',
      decidedBy: 'evidence-stored',
    })
  })
})
