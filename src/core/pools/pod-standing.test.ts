import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { DRAIN_LABEL, TEMPLATE_ANNOTATION } from './own-pod.ts'
import { judgePod, judgeSlot } from './pod-standing.ts'
import { SLOT_STATES } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'

const pod = (metadata: Fields, phase = 'Pending'): Fields => ({ metadata, status: { phase } })
const DRAINED = { labels: { [DRAIN_LABEL]: 'true' } }
const of = (template: string) => ({ annotations: { [TEMPLATE_ANNOTATION]: template } })

describe('what a pod says about itself', () => {
  it.each([
    ['a pod that waits in its poller', pod(of('t1')), null],
    ['a pod of a former template that nobody drains', pod(of('t0')), null],
    ['a pod that is going', pod({ ...of('t1'), deletionTimestamp: '2026-11-15T12:00:00Z' }), 'pod-gone'],
    ['a pod that failed', pod(of('t1'), 'Failed'), 'pod-gone'],
    ['a pod that ended', pod(of('t1'), 'Succeeded'), 'pod-gone'],
    ['a pod that somebody drains', pod({ ...of('t1'), ...DRAINED }), 'drained'],
    ['a pod that is drained by a label without a value', pod({ labels: { [DRAIN_LABEL]: '' } }), 'drained'],
    ['a pod that the rollout drains', pod({ ...of('t0'), ...DRAINED }), 'stale-template'],
    ['a going pod that was drained before', pod({ ...DRAINED, deletionTimestamp: '2026-11-15T12:00:00Z' }), 'pod-gone'],
  ])('%s', (_title, given, refusal) => {
    expect(judgePod(given, 't1')).toBe(refusal)
  })

  it('does not call a template stale where the pool is not known', () => {
    expect(judgePod(pod({ ...of('t0'), ...DRAINED }), null)).toBe('drained')
  })

  it('gives a job to a warm slot only', () => {
    const answers = SLOT_STATES.map((state) => [state, judgeSlot({ state } as Slot)])
    expect(Object.fromEntries(answers)).toEqual({
      warm: null,
      claimed: 'committed',
      minted: 'committed',
      registered: 'committed',
      executing: 'committed',
      ended: 'drained',
      lost: 'drained',
    })
  })
})
