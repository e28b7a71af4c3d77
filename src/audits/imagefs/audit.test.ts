import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Question } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { runAudit } from '#/core/audit/run-audit.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { imagefs } from './audit.ts'

const node = (own: { readonly pressure?: string; readonly storage?: string } = {}): Fields => ({
  metadata: { name: 'sting' },
  status: {
    conditions: [{ type: 'DiskPressure', status: own.pressure ?? 'False', message: 'kubelet has disk pressure' }],
    allocatable: { 'ephemeral-storage': own.storage ?? '10Gi' },
  },
})
const file = (available: number): Fields => ({ capacityBytes: 1000, availableBytes: available })
const summary = (nodefs: number, images: number): Fields => ({
  node: { fs: file(nodefs), runtime: { imageFs: file(images) } },
})
const ROOM = summary(500, 400)

type Case = {
  readonly lists?: Lists
  readonly stats?: Fields
  readonly configz?: Fields
  readonly question?: Partial<Question>
}

const examined = ({ lists = {}, stats = ROOM, configz, question = {} }: Case): readonly Finding[] =>
  imagefs.examine(
    buildFleet(
      { nodes: [node()], ...lists },
      {
        stats: new Map([['sting', seen(stats)]]),
        configz: configz === undefined ? new Map() : new Map([['sting', seen(configz)]]),
      },
    ),
    { ...WHOLE_FLEET, ...question },
  )
const found = (own: Case): readonly string[] => examined(own).map((one) => `${one.class} ${one.severity}`)

const pod = (name: string, storage: string, own: Fields = {}): Fields => ({
  metadata: { name, namespace: 'arc', ...(own['metadata'] as Fields | undefined) },
  spec: {
    nodeName: 'sting',
    containers: [{ name: 'runner', resources: { requests: { 'ephemeral-storage': storage } } }],
  },
  status: { phase: own['phase'] ?? 'Running' },
})
const set = (resources: Fields, own: Fields = {}): Fields => ({
  metadata: { name: 'lane', namespace: 'arc', ...own },
  spec: { template: { spec: { containers: [{ name: 'runner', resources }] } } },
})

describe('the disk of a node', () => {
  it.each<readonly [string, readonly string[], Case]>([
    ['has room', [], {}],
    ['is under pressure', ['disk-pressure critical'], { lists: { nodes: [node({ pressure: 'True' })] } }],
    [
      'will be emptied of images at 85 %',
      ['gc-imminent warning'],
      { stats: summary(500, 150), configz: { kubeletconfig: { evictionHard: {} } } },
    ],
    ['will not below', [], { stats: summary(500, 151), configz: { kubeletconfig: { evictionHard: {} } } }],
    [
      'will not where the kubelet collects nothing',
      [],
      { stats: summary(500, 1), configz: { kubeletconfig: { evictionHard: {}, imageGCHighThresholdPercent: 100 } } },
    ],
    ['is near an eviction', ['eviction-imminent warning'], { stats: summary(120, 400) }],
    ['is one for all', ['single-filesystem info'], { stats: summary(500, 500) }],
    [
      'is measured by its own file system where images have none',
      ['eviction-imminent warning'],
      {
        stats: { node: { fs: file(118) } },
        configz: { kubeletconfig: { evictionHard: { 'nodefs.available': '10%' }, imageGCHighThresholdPercent: 90 } },
      },
    ],
    [
      'is unknown if its kubelet gives no size',
      ['blind warning'],
      { stats: { node: { runtime: { imageFs: file(400) } } } },
    ],
    [
      'is not asked about',
      [],
      { lists: { nodes: [node({ pressure: 'True' })] }, stats: summary(1, 1), question: { nodes: ['honey'] } },
    ],
  ])('%s', (_title, expected, own) => {
    expect(found(own)).toEqual(expected)
  })

  it('names whose threshold it is', () => {
    const own = { kubeletconfig: { evictionHard: { 'nodefs.available': '10%' } } }
    expect(examined({ stats: summary(110, 400), configz: own })[0]?.evidence[0]).toContain(
      "the kubelet's own threshold",
    )
    expect(examined({ stats: summary(110, 400) })[0]?.evidence[0]).toContain("Kubernetes' default threshold")
  })

  it('is blind if its kubelet does not answer', () => {
    const fleet = buildFleet({ nodes: [node()] }, { stats: new Map([['sting', blind('timeout', '10s')]]) })
    const report = runAudit(imagefs, fleet, WHOLE_FLEET)
    expect(report.isBlind).toBe(true)
    expect(report.findings.map(({ subject }) => subject.name)).toContain('kubernetes/stats/sting')
  })
})

describe('what pods request', () => {
  it.each<readonly [string, readonly string[], readonly Fields[]]>([
    ['may be all that there is', [], [pod('a', '6Gi'), pod('b', '4Gi')]],
    ['may not be more', ['ephemeral-overcommit warning'], [pod('a', '6Gi'), pod('b', '4097Mi')]],
    ['ends with the pod', [], [pod('a', '6Gi'), pod('b', '40Gi', { phase: 'Succeeded' })]],
    [
      'is over for a pod that is only remembered',
      [],
      [
        pod('a', '6Gi'),
        pod('b', '40Gi', { metadata: { annotations: { 'signalbox.dev/last-seen': '2026-06-01T11:00:00Z' } } }),
      ],
    ],
  ])('%s', (_title, expected, pods) => {
    expect(found({ lists: { pods } })).toEqual(expected)
  })
})

describe('a set', () => {
  const UNBOUNDED = ['unbounded-ephemeral-requests warning']
  const range = (namespace: string): Fields => ({
    metadata: { name: 'd', namespace },
    spec: { limits: [{ type: 'Container', defaultRequest: { 'ephemeral-storage': '2Gi' } }] },
  })
  it.each<readonly [string, readonly string[], Lists]>([
    ['that limits nothing is reported', UNBOUNDED, { autoscalingrunnersets: [set({ requests: { cpu: '1' } })] }],
    [
      'that requests nothing is reported',
      UNBOUNDED,
      { autoscalingrunnersets: [set({ requests: { 'ephemeral-storage': '0' } })] },
    ],
    ['with a request is not', [], { autoscalingrunnersets: [set({ requests: { 'ephemeral-storage': '1Gi' } })] }],
    ['with a limit is not', [], { autoscalingrunnersets: [set({ limits: { 'ephemeral-storage': '1Gi' } })] }],
    ['that its namespace bounds is not', [], { autoscalingrunnersets: [set({})], limitranges: [range('arc')] }],
    [
      'that another namespace would bound is',
      UNBOUNDED,
      { autoscalingrunnersets: [set({})], limitranges: [range('other')] },
    ],
    [
      'that is being deleted is not',
      [],
      { autoscalingrunnersets: [set({}, { deletionTimestamp: '2026-06-01T11:00:00Z' })] },
    ],
  ])('%s', (_title, expected, lists) => {
    expect(found({ lists })).toEqual(expected)
  })

  it('is reported if it is requested, and not if a node is requested', () => {
    const lists = { autoscalingrunnersets: [set({})] }
    expect(found({ lists, question: { scaleSets: ['arc/lane'] } })).toEqual(UNBOUNDED)
    expect(found({ lists, question: { scaleSets: ['other'] } })).toEqual([])
    expect(found({ lists, question: { nodes: ['sting'] } })).toEqual([])
  })
})
