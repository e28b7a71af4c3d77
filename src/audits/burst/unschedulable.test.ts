import { describe, expect, it } from 'vitest'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import { ago } from '#test/fleets/build-fleet.ts'
import { readCeiling, toLimiter, nodePromisedAt, readObjections, refusedByScheduler } from './unschedulable.ts'

const said = (objections: string): string =>
  `0/5 nodes are available: ${objections}. preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod, 2 Insufficient cpu.`

describe("the scheduler's message", () => {
  it.each([
    ['3 Insufficient cpu, 2 Too many pods', 'scheduler'],
    ['1 Insufficient ephemeral-storage', 'scheduler'],
    ['1 Insufficient devices.kubevirt.io/kvm', 'scheduler'],
    ['5 Too many pods', 'slots'],
    ["2 Too many pods, 3 node(s) didn't match Pod's node affinity/selector", 'slots'],
    ['2 Too many pods, 3 node(s) had untolerated taint {dedicated: storage}', 'slots'],
    ["5 node(s) didn't match Pod's node affinity/selector", 'scheduler'],
    ['pod has unbound immediate PersistentVolumeClaims', 'volume'],
    ['2 node(s) had volume node affinity conflict, 3 node(s) had untolerated taint {a: b}', 'volume'],
    ["5 node(s) didn't find available persistent volumes to bind", 'volume'],
    ['5 node(s) did not have enough free storage', 'volume'],
    ['1 Insufficient memory, 4 node(s) had volume node affinity conflict', 'scheduler'],
  ] as const)('"%s" points to the %s', (objections, limiter) => {
    expect(toLimiter(readObjections(said(objections)))).toBe(limiter)
  })

  it.each([
    'persistentvolumeclaim "x-work" not found',
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "x-work"',
    'storageclass.storage.k8s.io "fast-local" not found',
  ])('"%s" points to a volume although it counts no nodes', (message) => {
    expect(toLimiter(readObjections(message))).toBe('volume')
  })

  it('is read without its part about preemption', () => {
    expect(readObjections(said('5 Too many pods'))).toEqual([{ kind: 'slots', nodes: 5 }])
    expect(
      readObjections('0/1 nodes are available: 1 Too many pods. no new claims to deallocate, preemption: 0/1'),
    ).toEqual([{ kind: 'slots', nodes: 1 }])
  })

  it('may be missing', () => {
    expect(readObjections('')).toEqual([])
    expect(toLimiter([])).toBe('scheduler')
  })
})

describe('a pod without a node', () => {
  const pod = (conditions: unknown, rest: Record<string, unknown> = {}) =>
    readPodRecord({ metadata: { name: 'p', ...rest }, spec: {}, status: { phase: 'Pending', conditions } })
  const refused = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: said('5 Too many pods') }]

  it('counts as refused only after the scheduler says so', () => {
    expect(refusedByScheduler(pod(refused), [])).toMatchObject({ objections: [{ kind: 'slots' }] })
    expect(refusedByScheduler(pod([]), [])).toBeNull()
    expect(
      refusedByScheduler(pod([{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }]), []),
    ).toBeNull()
  })

  it('is refused by an event if it has no condition', () => {
    const event = readEvent({ reason: 'FailedScheduling', message: said('1 Insufficient cpu') })
    expect(refusedByScheduler(pod([]), [event])).toMatchObject({ objections: [{ resource: 'cpu' }] })
  })

  it('does not count once it is terminating', () => {
    expect(refusedByScheduler(pod(refused, { deletionTimestamp: ago(1) }), [])).toBeNull()
  })
})

describe('a promise of a node', () => {
  const event = (reason: string, age: number, message = '') => readEvent({ reason, message, lastTimestamp: ago(age) })

  it('is broken by a maximum that was reached later', () => {
    expect(nodePromisedAt([event('Nominated', 100)])).not.toBeNull()
    expect(
      nodePromisedAt([event('Nominated', 50), event('NotTriggerScaleUp', 100, '2 max node group size reached')]),
    ).not.toBeNull()
    expect(
      nodePromisedAt([event('TriggeredScaleUp', 100), event('NotTriggerScaleUp', 50, '2 max node group size reached')]),
    ).toBeNull()
    expect(nodePromisedAt([])).toBeNull()
  })

  it.each([
    ['NotTriggerScaleUp', "pod didn't trigger scale-up: 1 max node group size reached", true],
    ['NotTriggerScaleUp', "pod didn't trigger scale-up: 1 max cluster cpu, memory limit reached", true],
    [
      'FailedScheduling',
      'Failed to schedule pod, all available instance types exceed limits for nodepool: "runners"',
      true,
    ],
    ['NotTriggerScaleUp', "pod didn't trigger scale-up: 1 Insufficient cpu", false],
    ['Pulling', 'max node group size reached', false],
  ])('%s "%s" is a ceiling: %s', (reason, message, isCeiling) => {
    expect(readCeiling(event(reason, 0, message)) !== null).toBe(isCeiling)
  })
})
