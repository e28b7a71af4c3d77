import { describe, expect, it } from 'vitest'
import { findMisfit, tolerates } from './placement.ts'

const node = {
  name: 'n1',
  labels: { pool: 'gpu', zone: 'a', size: '8' },
  taints: [{ key: 'dedicated', value: 'ci', effect: 'NoSchedule' }],
  isCordoned: false,
}
const plain = { ...node, taints: [] }
const affinity = (...matchExpressions: readonly object[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
})

describe('the placement of a pod', () => {
  it.each([
    ['a pod that asks for nothing', {}, true],
    ['a selector that the node meets', { nodeSelector: { pool: 'gpu' } }, true],
    ['a selector that it does not', { nodeSelector: { pool: 'cpu' } }, false],
    ['In', affinity({ key: 'zone', operator: 'In', values: ['a', 'b'] }), true],
    ['In, elsewhere', affinity({ key: 'zone', operator: 'In', values: ['b'] }), false],
    ['NotIn', affinity({ key: 'zone', operator: 'NotIn', values: ['a'] }), false],
    ['NotIn of a label that it lacks', affinity({ key: 'arch', operator: 'NotIn', values: ['a'] }), true],
    ['Exists', affinity({ key: 'zone', operator: 'Exists' }), true],
    ['DoesNotExist', affinity({ key: 'zone', operator: 'DoesNotExist' }), false],
    ['Gt', affinity({ key: 'size', operator: 'Gt', values: ['7'] }), true],
    ['Lt', affinity({ key: 'size', operator: 'Lt', values: ['8'] }), false],
    ['an operator that nobody knows', affinity({ key: 'size', operator: 'Near', values: ['8'] }), false],
    ['an empty term', affinity(), false],
  ])('%s: %o is %s', (_title, spec, fits) => {
    expect(findMisfit(spec, plain) === null).toBe(fits)
  })

  it('is refused by a taint that it does not tolerate, and the taint is named', () => {
    expect(findMisfit({}, node)).toEqual({ kind: 'taint', detail: 'dedicated=ci:NoSchedule' })
  })

  it('is not refused by a taint that only prefers others', () => {
    expect(findMisfit({}, { ...node, taints: [{ key: 'a', value: '', effect: 'PreferNoSchedule' }] })).toBeNull()
  })

  it('is not refused by the taints of the node controller on an unhealthy node', () => {
    const taints = [{ key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoSchedule' }]
    expect(findMisfit({}, { ...node, taints })).toBeNull()
  })

  it('names the selector before the taint, because the pod excludes the node on purpose', () => {
    expect(findMisfit({ nodeSelector: { pool: 'cpu' } }, node)?.kind).toBe('selector')
  })

  it('is refused by a cordon, unless it tolerates that', () => {
    const cordoned = { ...plain, isCordoned: true }
    expect(findMisfit({}, cordoned)?.kind).toBe('cordoned')
    const toleration = { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }
    expect(findMisfit({ tolerations: [toleration] }, cordoned)).toBeNull()
  })
})

describe('a toleration', () => {
  const taint = { key: 'dedicated', value: 'ci', effect: 'NoSchedule' }

  it.each([
    [{ key: 'dedicated', value: 'ci', effect: 'NoSchedule' }, true],
    [{ key: 'dedicated', operator: 'Exists' }, true],
    [{ operator: 'Exists' }, true],
    [{ key: 'dedicated', value: 'web' }, false],
    [{ key: 'dedicated', value: 'ci', effect: 'NoExecute' }, false],
    [{ key: 'other', operator: 'Exists' }, false],
    [{}, false],
  ])('%o tolerates the taint: %s', (toleration, answer) => {
    expect(tolerates([toleration], taint)).toBe(answer)
  })
})
