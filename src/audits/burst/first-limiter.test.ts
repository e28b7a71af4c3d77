import { describe, expect, it } from 'vitest'
import type { LaneCase } from '#test/fleets/burst-lane.ts'
import {
  TEMPLATE,
  busy,
  listClasses,
  examineLane,
  firstLimiter,
  refusedPod,
  starting,
  waitingPod,
} from '#test/fleets/burst-lane.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const TOO_MANY = '0/1 nodes are available: 1 Too many pods.'
const NO_CPU = '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No victims.'
const NO_VOLUME = '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.'

const crashing = {
  name: 'crash',
  pod: null,
  github: 'offline',
  status: { phase: 'Running', ready: false, runnerId: 1, failures: { a: ago(9e4), b: ago(6e4), c: ago(3e4) } },
} as const

const failed = {
  name: 'failed',
  pod: null,
  github: 'absent',
  status: { phase: 'Failed', reason: 'InvalidPod', message: 'pods "x" is forbidden: exceeded quota: q', runnerId: 1 },
} as const

/** Each layer adds one limiter to those below it: the topmost must be the first limiter. */
const LAYERS: readonly { readonly name: string; readonly layer: LaneCase }[] = [
  { name: 'declared-max-reached', layer: { max: 1, queued: [300, 300], runners: [busy('b')] } },
  { name: 'missing-scratch-volume', layer: { runners: [starting('volume', refusedPod(NO_VOLUME))] } },
  { name: 'pod-slot-pressure', layer: { runners: [starting('slots', refusedPod(TOO_MANY))] } },
  { name: 'scheduler-resource-pressure', layer: { runners: [starting('cpu', refusedPod(NO_CPU))] } },
  { name: 'quota-limit', layer: { runners: [failed] } },
  { name: 'runner-crash-loop', layer: { runners: [crashing] } },
  { name: 'image-pull-behind-pending', layer: { runners: [starting('image', waitingPod('ImagePullBackOff'))] } },
  { name: 'listener-unhealthy', layer: { listener: { terminated: { exitCode: 1, finishedAt: ago(1000) } } } },
]

function stacked(height: number): LaneCase {
  const layers = LAYERS.slice(0, height).map(({ layer }) => layer)
  return Object.assign({}, ...layers, { runners: layers.flatMap(({ runners }) => runners ?? []) }) as LaneCase
}

describe('the first limiter of a lane', () => {
  for (const [index, { name }] of LAYERS.entries()) {
    it(`is ${name} while everything after it in the order applies too, and it is the only one`, () => {
      const findings = examineLane(stacked(index + 1))
      const limiters = findings.filter(({ fields }) => fields?.['firstLimiter'] === true)
      expect(listClasses(limiters)).toEqual([name])
      const others = LAYERS.map((one) => one.name).filter((other) => other !== name)
      expect(listClasses(findings).filter((one) => others.includes(one))).toEqual([])
    })
  }

  it('is absent if nothing waits and all is well', () => {
    expect(examineLane({ max: 2, runners: [{ name: 'idle' }, busy('b')] })).toEqual([])
  })

  it('is absent while runners for the waiting jobs are starting', () => {
    const runners = [busy('b'), starting('s', waitingPod('ContainerCreating'))]
    expect(examineLane({ max: 2, queued: [50], runners })).toEqual([])
  })

  it('is present once a runner has been starting for too long', () => {
    const late = (age: number) =>
      examineLane({ max: 2, queued: [400], runners: [busy('b'), starting('s', waitingPod('ContainerCreating'), age)] })
    expect(firstLimiter(late(299))).toBeNull()
    expect(firstLimiter(late(300))).toBe('declared-max-reached')
  })

  it('lists how many runners each limiter admits, including the existing one', () => {
    const [finding] = examineLane({ max: 1, queued: [300, 300], runners: [busy('b')] })
    expect(finding?.fields).toMatchObject({ admits: 1, waiting: 2 })
    const rows = finding?.fields?.['limiters'] as readonly { limiter: string; admits: number | null }[]
    const admits = Object.fromEntries(rows.map((row) => [row.limiter, row.admits]))
    expect(admits).toMatchObject({
      'declared maximum': 1,
      cpu: 8,
      memory: 16,
      'pod slots': 109,
      'ephemeral-storage': null,
      imagefs: null,
    })
  })

  it('counts what a RuntimeClass adds to every pod', () => {
    const template = { ...TEMPLATE, runtimeClassName: 'kata' }
    const runtimeclasses = [{ metadata: { name: 'kata' }, overhead: { podFixed: { memory: '4Gi' } } }]
    const [finding] = examineLane({
      max: 1,
      queued: [300, 300],
      runners: [busy('b')],
      template,
      lists: { runtimeclasses },
    })
    const rows = finding?.fields?.['limiters'] as readonly { limiter: string; admits: number | null }[]
    expect(rows.find(({ limiter }) => limiter === 'memory')?.admits).toBe(8)
  })

  it("shows in waiting pods although GitHub's queue is blind, and says that the queue is unknown", () => {
    const findings = examineLane({ isQueueBlind: true, max: 4, runners: [starting('cpu', refusedPod(NO_CPU))] })
    expect(firstLimiter(findings)).toBe('scheduler-resource-pressure')
    expect(findings[0]?.fields?.['waiting']).toBeNull()
    expect(findings[0]?.evidence).toContain("GitHub's queue is unknown")
  })

  it('is not a reached maximum while the queue is unknown', () => {
    expect(examineLane({ isQueueBlind: true, max: 1, runners: [busy('b')] })).toEqual([])
  })

  it('is not the maximum if runners could not be read', () => {
    const ephemeralrunners = { kind: 'blind', reason: { code: 'forbidden', detail: '403' } } as const
    expect(firstLimiter(examineLane({ max: 0, queued: [300], lists: { ephemeralrunners } }))).toBeNull()
  })

  it('is read from a pod without a set label, by the runner of the same name', () => {
    const metadata = { namespace: 'arc', name: 's', ownerReferences: [{ kind: 'EphemeralRunner', name: 's' }] }
    const runners = [starting('s', { ...waitingPod('ImagePullBackOff'), metadata })]
    expect(firstLimiter(examineLane({ max: 4, runners }))).toBe('image-pull-behind-pending')
  })

  it('is not the image of a terminating or ended pod', () => {
    const image = waitingPod('ImagePullBackOff')
    const metadata = {
      namespace: 'arc',
      name: 's',
      deletionTimestamp: ago(1),
      labels: { 'actions.github.com/scale-set-name': 'linux', 'runner-pod': 's' },
    }
    expect(examineLane({ max: 4, queued: [5], runners: [starting('s', { ...image, metadata })] })).toEqual([])
    const ended = { ...image, status: { ...(image['status'] as object), phase: 'Failed' } }
    expect(examineLane({ max: 4, queued: [5], runners: [starting('s', ended)] })).toEqual([])
  })

  it('is the maximum of a set that was parked at 0', () => {
    expect(firstLimiter(examineLane({ max: 0, queued: [300] }))).toBe('declared-max-reached')
  })

  it('covers only the requested lanes', () => {
    const lane = { max: 1, queued: [300, 300], runners: [busy('b')] }
    expect(examineLane({ ...lane, question: { labels: ['other'] } })).toEqual([])
    expect(firstLimiter(examineLane({ ...lane, question: { labels: ['LINUX'] } }))).toBe('declared-max-reached')
    expect(firstLimiter(examineLane({ ...lane, question: { scaleSets: ['arc/linux'] } }))).toBe('declared-max-reached')
    expect(examineLane({ ...lane, question: { scaleSets: ['arc/other'] } })).toEqual([])
    expect(firstLimiter(examineLane({ ...lane, question: { runner: 'b' } }))).toBe('declared-max-reached')
  })

  it('covers all lanes for an unknown runner', () => {
    const lane = { max: 1, queued: [300, 300], runners: [busy('b')], question: { runner: 'nobody' } }
    expect(firstLimiter(examineLane(lane))).toBe('declared-max-reached')
  })
})

describe('a listener', () => {
  it('that crash-loops is reported although nothing waits, but not as limiter', () => {
    const findings = examineLane({ listener: { terminated: { exitCode: 1, finishedAt: ago(1000) } } })
    expect(findings).toMatchObject([{ class: 'listener-unhealthy', severity: 'critical' }])
    expect(firstLimiter(findings)).toBeNull()
  })

  it('that is missing is not reported while nothing waits, and is the limiter as soon as a job waits', () => {
    expect(examineLane({ listener: false, runners: [busy('b')] })).toEqual([])
    expect(firstLimiter(examineLane({ listener: false, runners: [busy('b')], queued: [10] }))).toBe(
      'listener-unhealthy',
    )
  })

  it('that could not be read is not called down', () => {
    const autoscalinglisteners = { kind: 'blind', reason: { code: 'forbidden', detail: '403' } } as const
    expect(examineLane({ lists: { autoscalinglisteners }, max: 5, queued: [10] })).toEqual([])
  })
})
