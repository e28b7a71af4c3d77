import { describe, expect, it } from 'vitest'
import {
  busy,
  listClasses,
  examineLane,
  firstLimiter,
  node,
  otherPod,
  refusedPod,
  starting,
} from '#test/fleets/burst-lane.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const others = (count: number) => Array.from({ length: count }, (_, index) => otherPod(`o${index}`))

/** Two of the slots are held by the listener and a runner. */
const held = (count: number, allocatable = 100) => ({
  runners: [busy('b')],
  nodes: [node('a', { pods: String(allocatable), cpu: '999', memory: '9999Gi' })],
  otherPods: others(count - 2),
})

describe('pod slots', () => {
  it.each([
    [94, []],
    [95, ['pod-slot-pressure']],
    [96, ['pod-slot-pressure']],
  ])('with %i of 100 held and nothing waiting give %j for the pool', (count, classes) => {
    const findings = examineLane({ ...held(count), max: 2 })
    expect(listClasses(findings)).toEqual(classes)
    for (const finding of findings) {
      expect(finding.subject).toEqual({ kind: 'NodePool', name: 'all' })
      expect(finding.fields?.['firstLimiter']).toBeUndefined()
    }
  })

  it.each([
    [94, 'declared-max-reached'],
    [95, 'pod-slot-pressure'],
  ])('with %i of 100 held and a lane at its maximum make %s the first limiter', (count, limiter) => {
    expect(firstLimiter(examineLane({ ...held(count), max: 1, queued: [300] }))).toBe(limiter)
  })

  it('are no limit by their share with a node autoscaler', () => {
    const made = node(
      'a',
      { pods: '100', cpu: '999', memory: '9999Gi' },
      { metadata: { name: 'a', labels: { 'karpenter.sh/nodepool': 'x' } } },
    )
    const lane = { ...held(96), nodes: [made] }
    expect(firstLimiter(examineLane({ ...lane, max: 1, queued: [300] }))).toBe('declared-max-reached')
    expect(examineLane({ ...lane, max: 2 })).toEqual([])
  })

  it('are only in the table while another limiter limits a lane on them', () => {
    const down = { terminated: { exitCode: 1, finishedAt: ago(1000) } }
    expect(listClasses(examineLane({ ...held(96), max: 2, queued: [10], listener: down }))).toEqual([
      'listener-unhealthy',
    ])
  })

  it('are the limiter at any share if the scheduler says Too many pods', () => {
    const runners = [busy('b'), starting('s', refusedPod('0/1 nodes are available: 1 Too many pods.'))]
    const findings = examineLane({ ...held(10), max: 5, runners })
    expect(firstLimiter(findings)).toBe('pod-slot-pressure')
    expect(findings[0]?.fields).toMatchObject({ admits: 1, slots: { allocatable: 100, live: 10, stale: 0 } })
  })

  it('are the limiter if the node itself rejects the pod', () => {
    const rejected = { status: { phase: 'Failed', reason: 'OutOfpods' } }
    expect(firstLimiter(examineLane({ ...held(10), max: 5, runners: [starting('s', rejected)] }))).toBe(
      'pod-slot-pressure',
    )
  })

  it('are split into live, stale and finished pods; ended ones are listed and not counted', () => {
    const gone = { deletionTimestamp: ago(600_000) }
    const otherPods = [
      ...others(90),
      otherPod('gone', { metadata: gone }),
      otherPod('going', { metadata: { deletionTimestamp: ago(599_000) } }),
      otherPod('orphan', { metadata: { namespace: 'arc', labels: { 'runner-pod': 'nobody' } } }),
      otherPod('work', { metadata: { namespace: 'arc', labels: { 'runner-pod': 'b' } } }),
      otherPod('remembered', { metadata: { annotations: { 'signalbox.dev/last-seen': ago(1) } } }),
      otherPod('done', { phase: 'Succeeded' }),
      otherPod('evicted', { phase: 'Failed' }),
    ]
    const [finding] = examineLane({ ...held(2), max: 2, otherPods })
    expect(finding?.fields).toMatchObject({
      slots: { allocatable: 100, live: 94, stale: 2 },
      finished: ['shop/done', 'shop/evicted'],
      finishedCount: 2,
      consumers: [
        { namespace: 'shop', pods: 92 },
        { namespace: 'arc', pods: 3 },
        { namespace: 'sys', pods: 1 },
      ],
    })
    expect(finding?.evidence).toContain('stale: shop/gone, arc/orphan')
  })

  it('are not stale if runners could not be read', () => {
    const ephemeralrunners = { kind: 'blind', reason: { code: 'forbidden', detail: '403' } } as const
    const [finding] = examineLane({ ...held(95), max: 2, lists: { ephemeralrunners } })
    expect(finding?.fields?.['slots']).toEqual({ allocatable: 100, live: 95, stale: 0 })
  })

  it('of a pool without runners are ignored', () => {
    const tainted = { spec: { taints: [{ key: 'db', effect: 'NoSchedule' }] } }
    const nodes = [node('a'), node('db', { pods: '2' }, tainted)]
    const otherPods = [otherPod('x', { spec: { nodeName: 'db' } }), otherPod('y', { spec: { nodeName: 'db' } })]
    expect(examineLane({ max: 2, nodes, otherPods })).toEqual([])
  })
})
