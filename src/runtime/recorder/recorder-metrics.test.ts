import { describe, expect, it } from 'vitest'
import { CAUSES } from '#/causes/index.ts'
import { toDeath } from '#/core/recorder/death.ts'
import { MOST_NODES, MOST_POOLS, NODE_GONE_MS, POOL_GONE_MS } from './recorder-metrics.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { recorderMetrics } from './recorder-metrics.ts'
import type { TrackedPod } from './watching/tracked-pods.ts'
import { parseExposition } from '#test/server/exposition.ts'

const NAMES = { uid: 'u-1', namespace: 'ns-1', pod: 'pod-1', runner: 'runner-1', repository: 'o/r', job: 4711 }
const document = {
  blind: [
    { source: 'journal/n1', reason: 'x' },
    { source: 'kubernetes/audit', reason: 'y' },
  ],
}
const FORBIDDEN = [{ source: 'kubernetes/ephemeralrunners', reason: 'forbidden: 403' }]
const verdict = { cause: 'oom-container', kind: 'death', confidence: 0.9, document }

type Wish = { pool?: string; node?: string | null; at?: number; missed?: boolean }
const death = ({ pool = 'linux', node = 'n1', at = 1000, missed = false }: Wish = {}) =>
  toDeath({ ...NAMES, node, pool, missed, diedAt: 0, recordedAt: at, verdict })
const pod = (pool: string | null, node: string | null) => ({ pool, facts: { node } }) as unknown as TrackedPod

function started() {
  const metrics = createMetrics()
  const own = recorderMetrics(metrics)
  const families = () => parseExposition(metrics.expose())
  /** The names that a metric knows, with what is counted under each. */
  const counted = (metric: string, label: string) => {
    const names = new Map<string, number>()
    for (const { labels, value } of families().get(metric)?.samples ?? []) {
      names.set(labels[label] ?? '', (names.get(labels[label] ?? '') ?? 0) + value)
    }
    return Object.fromEntries(names)
  }
  const byPool = () => counted('signalbox_deaths_total', 'pool')
  const byNode = () => counted('signalbox_node_deaths_total', 'node')
  return { own, families, byPool, byNode, text: metrics.expose }
}

describe('the metrics of the recorder', () => {
  it('count deaths and blind sources as Prometheus reads them, without the name of any pod or job', () => {
    const { own, families, byNode, text } = started()
    own.died(death(), 0.3)
    const deaths = families().get('signalbox_deaths_total')?.samples ?? []
    expect(deaths.filter(({ value }) => value > 0)).toEqual([
      {
        name: 'signalbox_deaths_total',
        labels: { cause: 'oom-container', kind: 'death', pool: 'linux' },
        value: 1,
      },
    ])
    expect(byNode()).toEqual({ n1: 1 })
    expect(
      families()
        .get('signalbox_blind_sources_total')
        ?.samples.map(({ labels }) => labels),
    ).toEqual([{ source: 'journal' }, { source: 'kubernetes/audit' }])
    for (const name of [NAMES.uid, NAMES.pod, NAMES.runner, NAMES.repository, String(NAMES.job), NAMES.namespace]) {
      expect(text()).not.toContain(name)
    }
  })

  it('count a source as blind only where it applies to the pod', () => {
    const { own, families } = started()
    const blind = [
      ['kubernetes/ephemeralrunners', 'not-asked: kubernetes/ephemeralrunners.json was not collected'],
      ['github/runners', 'not-asked: github/runners.json was not collected'],
      ['journal', 'not-asked: the node of the pod is not known'],
      ['host', 'not-asked: the node is not known'],
      ['logs', 'not-asked: no log of the runner was collected'],
      ['cgroup', 'not-asked: no agent serves n1'],
    ].map(([source, reason]) => ({ source, reason }))
    own.died(toDeath({ ...death(), ...NAMES, verdict: { ...verdict, document: { blind } } }), 1)
    own.died(toDeath({ ...death(), ...NAMES, verdict: { ...verdict, document: { blind: FORBIDDEN } } }), 1)
    const counted = families().get('signalbox_blind_sources_total')?.samples ?? []
    expect(counted.map(({ labels }) => labels['source'])).toEqual(['logs', 'cgroup', 'kubernetes/ephemeralrunners'])
  })

  it('measure the time to the verdict, except for missed deaths', () => {
    const { own, families } = started()
    own.died(death(), 0.3)
    own.died(death({ missed: true }), 0)
    const samples = families().get('signalbox_verdict_seconds')?.samples ?? []
    const bucket = (le: string) => samples.find(({ labels }) => labels['le'] === le)?.value
    expect([bucket('0.25'), bucket('0.5'), bucket('+Inf')]).toEqual([0, 1, 1])
    expect(samples.filter(({ name }) => !name.endsWith('_bucket')).map(({ value }) => value)).toEqual([0.3, 1])
  })

  it('start at zero watched pods and zero waiting deaths', () => {
    const { own, families } = started()
    const value = (name: string) => families().get(name)?.samples[0]?.value
    expect([value('signalbox_watched_pods'), value('signalbox_outbox_waiting')]).toEqual([0, 0])
    own.watched([pod('linux', 'n1'), pod(null, null)], 7, 0)
    expect([value('signalbox_watched_pods'), value('signalbox_outbox_waiting')]).toEqual([2, 7])
  })

  it('show a zero of each cause as soon as a pool is seen, and of a node, so that the first death is an increase', () => {
    const { own, families, byNode } = started()
    own.watched([pod('linux', 'n1')], 0, 0)
    const deaths = families().get('signalbox_deaths_total')?.samples ?? []
    expect(deaths).toHaveLength(CAUSES.length + 1)
    expect(new Set(deaths.map(({ value, labels }) => `${value} ${labels['pool']}`))).toEqual(new Set(['0 linux']))
    expect(byNode()).toEqual({ n1: 0 })
    own.died(death(), 1)
    expect(families().get('signalbox_deaths_total')?.samples).toHaveLength(CAUSES.length + 1)
  })

  it('count a clean end for its pool and not against its node', () => {
    const { own, byPool, byNode } = started()
    own.died({ ...death(), cause: 'completed-normally', kind: 'not-a-death' }, 1)
    expect([byPool(), byNode()]).toEqual([{ linux: 1 }, {}])
  })

  it('forget a pool that has had neither a pod nor a death for a day, and no other', () => {
    const { own, byPool } = started()
    for (const pool of ['old', 'living', 'dying']) own.died(death({ pool }), 1)
    own.died({ ...death({ pool: 'old' }), kind: 'not-a-death' }, 1)
    const alive = [pod('living', null)]
    own.watched(alive, 0, 1000 + POOL_GONE_MS)
    expect(byPool()).toEqual({ old: 2, living: 1, dying: 1 })
    own.died(death({ pool: 'dying', at: 1001 }), 1)
    own.watched(alive, 0, 1001 + POOL_GONE_MS)
    expect(byPool()).toEqual({ living: 1, dying: 2 })
  })

  it('forget a node that has had neither a pod nor a death for an hour', () => {
    const { own, byNode } = started()
    own.died(death({ node: 'gone' }), 1)
    own.died(death({ node: 'there' }), 1)
    const alive = [pod('linux', 'there')]
    own.watched(alive, 0, 1000 + NODE_GONE_MS)
    expect(byNode()).toEqual({ gone: 1, there: 1 })
    own.watched(alive, 0, 1001 + NODE_GONE_MS)
    expect(byNode()).toEqual({ there: 1 })
  })

  it('are bounded in pools and nodes, and count the rest as other', () => {
    const { own, byPool, byNode } = started()
    for (let index = 0; index < MOST_POOLS + 5; index += 1) own.died(death({ pool: `pool-${index}` }), 1)
    own.died(death({ pool: 'pool-0' }), 1)
    expect(Object.keys(byPool())).toHaveLength(MOST_POOLS + 1)
    expect(byPool()).toMatchObject({ 'pool-0': 2, other: 5 })
    for (let index = 0; index < MOST_NODES + 5; index += 1) own.died(death({ node: `node-${index}` }), 1)
    expect(Object.keys(byNode())).toHaveLength(MOST_NODES + 1)
    expect(byNode()['other']).toBe(6)
  })
})
