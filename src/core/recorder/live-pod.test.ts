import { describe, expect, it } from 'vitest'
import { isOfArc, poolName } from './pool-name.ts'
import { goneMeanwhile, isWorthSaving } from './live-pod.ts'
import { sha256 } from '#/runtime/sha256.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'

const pod = (more: object = {}, metadata: object = {}, spec: object = {}) =>
  readPod({
    metadata: { name: 'r', namespace: 'n', ...metadata },
    spec,
    status: { phase: 'Running', containerStatuses: [{ name: 'runner', state: { running: {} } }], ...more },
  })

describe('when a live pod is saved', () => {
  it.each([
    ['the first sight', null, pod(), true],
    ['nothing new', pod(), pod(), false],
    ['another phase', pod({ phase: 'Pending' }), pod(), true],
    ['a node', pod(), pod({}, {}, { nodeName: 'n1' }), true],
    ['a deletion', pod(), pod({}, { deletionTimestamp: '2026-06-06T12:00:00Z' }), true],
    [
      'a restart',
      pod(),
      pod({ containerStatuses: [{ name: 'runner', restartCount: 1, state: { running: {} } }] }),
      true,
    ],
    ['a condition', pod(), pod({ conditions: [{ type: 'Ready', status: 'False' }] }), false],
    ['a label', pod(), pod({}, { labels: { a: 'b' } }), false],
  ])('%s', (_, before, after, worth) => {
    expect(isWorthSaving(before, after)).toBe(worth)
  })
})

describe('pods that went while nothing was watching', () => {
  const livePods = [
    { uid: 'a', namespace: 'x' },
    { uid: 'b', namespace: 'x' },
    { uid: 'c', namespace: 'y' },
  ]
  const gone = (present: readonly string[], namespaces: readonly string[] | null) =>
    goneMeanwhile(livePods, new Set(present), { namespaces: namespaces && new Set(namespaces) }).map(({ uid }) => uid)

  it('are those that are no longer listed', () => {
    expect(gone(['a'], null)).toEqual(['b', 'c'])
  })

  it('are not those of a namespace that was not listed', () => {
    expect(gone(['a'], ['x'])).toEqual(['b'])
  })
})

describe('the pool of a runner', () => {
  it.each([
    ["ARC's scale set", { 'actions.github.com/scale-set-name': 'linux', app: 'x' }, 'linux'],
    ['its own label', { 'signalbox.dev/pool': 'mine' }, 'mine'],
    ['the app', { app: 'x' }, 'x'],
    ['none', { color: 'red' }, null],
    ['none for a label of another type', { app: 1 }, null],
  ])('is %s', (_, labels, expected) => {
    expect(poolName({ metadata: { labels } }, sha256)).toBe(expected)
  })

  it('is of ARC where an EphemeralRunner owns it', () => {
    expect(isOfArc({ metadata: { ownerReferences: [{ kind: 'EphemeralRunner' }] } })).toBe(true)
    expect(isOfArc({ metadata: { ownerReferences: [{ kind: 'ReplicaSet' }] } })).toBe(false)
  })
})
