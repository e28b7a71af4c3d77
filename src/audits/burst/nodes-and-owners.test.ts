import { describe, expect, it } from 'vitest'
import type { LaneCase } from '#test/fleets/burst-lane.ts'
import {
  TEMPLATE,
  busy,
  listClasses,
  examineLane,
  firstLimiter,
  node,
  refusedPod,
  starting,
} from '#test/fleets/burst-lane.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const NO_CPU = '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No victims.'

describe('a lane with two owners', () => {
  const owned = (name: string, owner: string, maxRunners = 3) => ({
    metadata: { namespace: 'arc', name, creationTimestamp: ago(9e6) },
    spec: {
      githubConfigUrl: `https://github.com/${owner}`,
      runnerScaleSetName: 'linux',
      maxRunners,
      template: { spec: TEMPLATE },
    },
  })
  const autoscalingrunnersets = [owned('linux', 'org'), owned('theirs', 'other')]

  it('is not limited by the listener of a set that cannot serve the waiting job, but reports it', () => {
    const findings = examineLane({
      queued: [10],
      lists: { autoscalingrunnersets },
      listener: { terminated: { exitCode: 1, finishedAt: ago(1000) } },
    })
    expect(firstLimiter(findings)).toBe('listener-unhealthy')
    const theirs = {
      metadata: { namespace: 'sys', name: 'theirs-listener', creationTimestamp: ago(9e6) },
      spec: { autoscalingRunnerSetNamespace: 'arc', autoscalingRunnerSetName: 'theirs' },
    }
    const ours = {
      metadata: { namespace: 'sys', name: 'linux-listener', creationTimestamp: ago(9e6) },
      spec: { autoscalingRunnerSetNamespace: 'arc', autoscalingRunnerSetName: 'linux' },
    }
    const lists = { autoscalingrunnersets, autoscalinglisteners: [ours, theirs] }
    const quiet = examineLane({ queued: [10], lists })
    expect(quiet).toMatchObject([{ class: 'listener-unhealthy', fields: { listener: 'theirs-listener' } }])
    expect(firstLimiter(quiet)).toBeNull()
    const parked = [owned('linux', 'org', 0), owned('theirs', 'other', 0)]
    const both = examineLane({ queued: [10], lists: { ...lists, autoscalingrunnersets: parked } })
    expect(listClasses(both)).toEqual(['declared-max-reached', 'saturated', 'listener-unhealthy'])
    expect(firstLimiter(both)).toBe('declared-max-reached')
  })
})

describe('nodes as a limiter', () => {
  const full = { max: 1, queued: [300, 300], runners: [busy('b')], nodes: [node('a', { cpu: '3' })] }

  it('come before a reached maximum: a higher one would only create pending pods', () => {
    expect(firstLimiter(examineLane(full))).toBe('scheduler-resource-pressure')
  })

  it('are no limit with a node autoscaler', () => {
    const otherPods = [
      {
        metadata: { namespace: 'kube-system', name: 'ca', labels: { app: 'cluster-autoscaler' } },
        spec: {},
        status: { phase: 'Running' },
      },
    ]
    const findings = examineLane({ ...full, otherPods })
    expect(firstLimiter(findings)).toBe('declared-max-reached')
  })

  it('are no limit if they could not be read', () => {
    const nodes = { kind: 'blind', reason: { code: 'forbidden', detail: '403' } } as const
    const findings = examineLane({ ...full, lists: { nodes } })
    expect(firstLimiter(findings)).toBe('declared-max-reached')
    expect(findings[0]?.hint).toContain('could not be read')
  })

  it.each([
    ['is cordoned', { spec: { unschedulable: true } }],
    [
      'is not ready',
      {
        status: {
          allocatable: { cpu: '16', memory: '64Gi', pods: '110' },
          conditions: [{ type: 'Ready', status: 'Unknown' }],
        },
      },
    ],
    [
      'has disk pressure',
      {
        status: {
          allocatable: { cpu: '16', memory: '64Gi', pods: '110' },
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'DiskPressure', status: 'True' },
          ],
        },
      },
    ],
    ['has a taint that the runner does not tolerate', { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } }],
  ])('have no room on one that %s', (_, rest) => {
    const findings = examineLane({ ...full, nodes: [node('a', { cpu: '3' }), node('c', {}, rest)] })
    expect(firstLimiter(findings)).toBe('scheduler-resource-pressure')
    expect(firstLimiter(examineLane({ ...full, nodes: [node('a', { cpu: '3' }), node('c')] }))).toBe(
      'declared-max-reached',
    )
  })

  it('exclude a pool that is declared for something else, unless the runner selects it', () => {
    const nodes = [node('a', { cpu: '3' }), node('c', {}, { metadata: { name: 'c', labels: { pool: 'disks' } } })]
    const fleetFile = { nodePools: [{ name: 'disks', selector: { pool: 'disks' }, role: 'storage' as const }] }
    expect(firstLimiter(examineLane({ ...full, nodes, fleetFile }))).toBe('scheduler-resource-pressure')
    expect(firstLimiter(examineLane({ ...full, nodes }))).toBe('declared-max-reached')
  })

  it('are no limit while a node is promised for the waiting pod, for as long as a start may take', () => {
    const promised = (age: number): LaneCase => ({
      max: 4,
      queued: [400],
      runners: [starting('cpu', refusedPod(NO_CPU))],
      events: [
        {
          reason: 'TriggeredScaleUp',
          involvedObject: { kind: 'Pod', namespace: 'arc', name: 'cpu', uid: 'cpu' },
          lastTimestamp: ago(age),
        },
      ],
    })
    expect(firstLimiter(examineLane(promised(299_000)))).toBeNull()
    expect(firstLimiter(examineLane(promised(300_000)))).toBe('scheduler-resource-pressure')
  })

  it('are not judged by the events of another pod of the same name', () => {
    const events = [
      {
        reason: 'FailedScheduling',
        message: NO_CPU,
        involvedObject: { kind: 'Pod', namespace: 'arc', name: 's', uid: 'before' },
        lastTimestamp: ago(1),
      },
    ]
    const young = { status: { phase: 'Pending' }, spec: {} }
    expect(examineLane({ max: 4, queued: [5], runners: [starting('s', young)], events })).toEqual([])
  })

  it('are the limit if the autoscaler reached its maximum after its promise', () => {
    const about = { kind: 'Pod', namespace: 'arc', name: 'cpu', uid: 'cpu' }
    const message = "pod didn't trigger scale-up: 1 max node group size reached"
    const findings = examineLane({
      max: 4,
      queued: [400],
      runners: [starting('cpu', refusedPod(NO_CPU))],
      events: [
        { reason: 'TriggeredScaleUp', involvedObject: about, lastTimestamp: ago(60_000) },
        { reason: 'NotTriggerScaleUp', involvedObject: about, message, lastTimestamp: ago(30_000) },
      ],
    })
    expect(firstLimiter(findings)).toBe('scheduler-resource-pressure')
    const rows = findings[0]?.fields?.['limiters'] as readonly { limiter: string; admits: number | null; why: string }[]
    expect(rows.find(({ limiter }) => limiter === 'node autoscaler')).toEqual({
      limiter: 'node autoscaler',
      admits: 0,
      why: message,
    })
  })
})
