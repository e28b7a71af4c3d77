import { describe, expect, it } from 'vitest'
import { knowsMore, leavesRoom } from './choose-source.ts'

type Live = Parameters<typeof knowsMore>[0]

const standing = { lastSeenAt: null }
const live = (
  confidence: number,
  { uid = 'u', pod = standing, hasSuccessor = false }: object & Record<string, unknown> = {},
) => ({ subject: { uid }, verdict: { confidence }, evidence: { pod, hasSuccessor } }) as unknown as Live
const gone = { pod: null }
const lastSeen = { pod: { lastSeenAt: 5 } }

describe('what is live beside what was recorded', () => {
  it.each<[string, readonly Live[], number, boolean]>([
    ['a pod that stands and is known as well', [live(0.8)], 0.8, false],
    ['a pod that stands and is known less', [live(0.7)], 0.8, true],
    ['a pod that is gone', [live(0.9, gone)], 0.8, true],
    ['a pod as it was last seen', [live(0.9, lastSeen)], 0.8, true],
    ['a pod whose name another one has now', [live(0.9, { hasSuccessor: true })], 0.8, true],
    ['another pod of that name', [live(0.1, { uid: 'other' })], 0.8, false],
    ['a pod of which nobody knows the UID', [live(0.1, { uid: null, ...gone })], 0.8, true],
    ['several', [live(0.1), live(0.1)], 0.8, false],
    ['none', [], 0.8, false],
  ])('leaves room: %s', (_, results, confidence, expected) => {
    expect(leavesRoom(results, { uid: 'u', confidence })).toBe(expected)
  })

  it.each<[string, Live, number, boolean]>([
    ['of a pod that is gone, as certain', live(0.8, gone), 0.8, true],
    ['of a pod that is gone, less certain: somebody brought better evidence', live(0.9, gone), 0.8, false],
    ['of a pod that stands, as certain', live(0.8), 0.8, false],
    ['of a pod that stands, more certain', live(0.7), 0.8, true],
  ])('gives way: %s', (_, one, recorded, expected) => {
    expect(knowsMore(one, recorded)).toBe(expected)
  })
})
