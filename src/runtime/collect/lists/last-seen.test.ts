import { describe, expect, it } from 'vitest'
import { refuseLastSeen, withLastSeen } from './last-seen.ts'

const AT = Date.UTC(2026, 5, 6, 21)
const pod = (uid: string, annotations?: object) => ({
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'n', uid, ...(annotations === undefined ? {} : { annotations }) },
  spec: {},
})

describe('a pod that somebody kept', () => {
  it('is marked with the time at which it was seen', () => {
    expect(withLastSeen([pod('new')], { pod: pod('old', { x: 'y' }), at: AT })).toEqual([
      pod('new'),
      pod('old', { 'signalbox.dev/last-seen': '2026-06-06T21:00:00.000Z', x: 'y' }),
    ])
    const marked = pod('old', { 'signalbox.dev/last-seen': '2026-01-01T00:00:00Z' })
    expect(withLastSeen([], { pod: marked, at: AT })).toEqual([marked])
  })

  it('says nothing while the API server has it', () => {
    expect(withLastSeen([pod('a')], { pod: pod('a', { x: 'y' }), at: AT })).toEqual([pod('a')])
  })

  it.each([
    ['a pod', pod('a'), true],
    ['a list', { kind: 'List', items: [pod('a')] }, false],
    ['a pod without a namespace', { kind: 'Pod', metadata: { name: 'a' }, spec: {} }, false],
    ['a pod whose name is a path', { kind: 'Pod', metadata: { name: '../a', namespace: 'n' }, spec: {} }, false],
    ['a pod without a specification', { kind: 'Pod', metadata: { name: 'a', namespace: 'n' } }, false],
    ['text', 'pod', false],
  ])('may be %s: %s', (_, value, isTaken) => {
    expect(refuseLastSeen(value) === null).toBe(isTaken)
  })
})
