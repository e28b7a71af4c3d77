import { describe, expect, it } from 'vitest'
import { textAt, listAt } from '#/core/basics/fields.ts'
import { chooseFairly } from '#/core/dispatch/fairness.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { openPaperPools, SPEC } from '#test/pools/paper-pools.ts'
import type { PaperPools } from '#test/pools/paper-pools.ts'
import { queued, recordAll } from '#test/contracts/store-builders.ts'

const SCOPE = 'runners/linux'
const HOUR = 3_600_000

async function queueJob({ store }: PaperPools, id: number): Promise<void> {
  await recordAll(store, queued(id, { scope: SCOPE, repository: 'acme/app' }))
}

const warm = (count: number, change: object = {}) => ({ ...SPEC, size: { ...SPEC.size, warm: count }, ...change })
const names = ({ pods }: PaperPools) => pods().map(({ metadata }) => metadata.name)
const slots = async ({ store }: PaperPools) =>
  (await store.assignments.slots({ limit: 100 })).map(({ pod, state }) => `${pod} ${state}`)

function conditionsOf({ cluster }: PaperPools) {
  const [pool] = cluster.list('runnerpools')
  const of = (type: string): string => {
    const found = listAt(pool, 'status', 'conditions').find((one) => textAt(one, 'type') === type)
    return `${textAt(found, 'status')}: ${textAt(found, 'message')}`
  }
  return { Ready: of('Ready'), SpecValid: of('SpecValid'), Degraded: of('Degraded') }
}

/** With so many pods that wait for a job. */
async function openWarm(count: number): Promise<PaperPools> {
  const pools = await openPaperPools()
  pools.apply(warm(count))
  await pools.settle()
  pools.start()
  await pools.settle()
  return pools
}

async function claim({ store }: PaperPools, at = 5): Promise<readonly string[]> {
  const all = await store.assignments.slots({ states: ['warm'], limit: 100 })
  const waiting = all.map(({ uid }) => uid)
  const claims = await store.assignments.match({ scope: SCOPE, waiting, jobLimit: 10, at }, chooseFairly())
  return claims.map(({ slot }) => slot.pod)
}

async function ledgerOf({ store }: PaperPools): Promise<readonly LedgerRow[]> {
  return await store.ledger.list({ limit: 100 })
}

describe('the pools', () => {
  it('make the pods of a pool, with a slot each, and report them in its status', async () => {
    await using pools = await openWarm(2)
    expect(await slots(pools)).toEqual(['linux-1 warm', 'linux-2 warm'])
    const [pool] = pools.cluster.list('runnerpools')
    expect(pool?.metadata.finalizers).toEqual(['signalbox.dev/drain'])
    expect(pool?.['status']).toMatchObject({
      replicas: { starting: 0, idle: 2, busy: 0, terminating: 0 },
      queued: { dispatchable: 0, withheld: 0 },
    })
    expect(conditionsOf(pools)).toMatchObject({
      Ready: 'True: it has the pods that it needs',
      Degraded: 'False: its pods start',
    })
    expect(pools.exposed()).toContain('signalbox_pool_replicas{pool="runners/linux",state="idle"} 2')
  })

  it('make fewer and fewer pods where each ends at once and without a job', async () => {
    await using pools = await openPaperPools()
    pools.apply(warm(2))
    let made = 0
    pools.cluster.onWrite = (what) => void (made += what === 'create' ? 1 : 0)
    const status = { phase: 'Succeeded' }
    for (let round = 0; round < 60; round += 1) {
      await pools.round()
      for (const name of names(pools)) pools.cluster.change('pods', name, () => ({ status }))
      await pools.round()
      pools.pass(5000)
    }
    expect(made).toBeLessThan(12)
    expect(conditionsOf(pools).Degraded).toContain('it ended without a job')
  })

  it('write the status only when it has changed', async () => {
    await using pools = await openWarm(1)
    const writes: string[] = []
    pools.cluster.onWrite = (what) => void writes.push(what)
    for (let round = 0; round < 3; round += 1) await pools.round()
    expect(writes).toEqual([])
  })

  it('scale up from zero with a job', async () => {
    await using pools = await openWarm(0)
    await queueJob(pools, 1)
    await pools.round()
    expect(names(pools)).toEqual(['linux-1'])
    expect(pools.exposed()).toContain('signalbox_queue_jobs{pool="runners/linux",state="dispatchable"} 1')
  })

  it('retire a pod that nobody needs: first its slot, then its pod, with a row and its evidence', async () => {
    await using pools = await openWarm(0)
    await queueJob(pools, 1)
    await pools.settle()
    pools.start()
    await pools.settle()
    await recordAll(pools.store, {
      kind: 'job-completed',
      at: 9,
      facts: (await pools.store.assignments.job(1))!,
      runner: null,
      conclusion: 'cancelled',
    })
    const order: string[] = []
    pools.cluster.onWrite = (what) => void order.push(what)
    pools.pass(HOUR)
    await pools.settle()
    expect(await slots(pools)).toEqual(['linux-1 ended'])
    expect(order.filter((what) => what.includes('pods'))).toEqual(['delete pods', 'patch pods'])
    expect(names(pools)).toEqual([])
    const rows = await ledgerOf(pools)
    expect(rows.map((row) => [row.act, row.outcome, 'loop' in row && row.loop, row.epoch])).toEqual([
      ['strip-finalizer', 'done', 'pools/let-go', 1],
      ['delete-pod', 'done', 'pools/surplus', 1],
    ])
    const kept = await pools.store.deaths.get(rows[1]?.evidence ?? '')
    expect(kept?.evidence.map(({ source }) => source)).toContain('kubernetes/pods.json')
  })

  it('keep a pod that got a job between the decision and the act', async () => {
    await using pools = await openWarm(1)
    pools.pass(HOUR)
    await queueJob(pools, 1)
    pools.apply(warm(0))
    const { assignments } = pools.store
    const commit = assignments.commit
    let claimed: readonly string[] = []
    Object.assign(assignments, {
      commit: async (...given: Parameters<typeof commit>) => {
        if (claimed.length === 0) claimed = await claim(pools)
        return await commit(...given)
      },
    })
    pools.cluster.change('pods', 'linux-1', (pod) => ({
      metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, 'signalbox.dev/drain': 'true' } },
    }))
    await pools.round()
    expect(claimed).toEqual(['linux-1'])
    expect(await slots(pools)).toContain('linux-1 claimed')
    expect(names(pools)).toContain('linux-1')
    expect(await ledgerOf(pools)).toEqual([])
  })

  it.each(['delete pods', 'patch pods'])('go on after a crash before the request "%s"', async (what) => {
    await using pools = await openWarm(1)
    pools.apply(warm(0))
    pools.pass(HOUR)
    pools.cluster.onWrite = (own) => {
      if (own === what) throw new Error('killed')
    }
    await expect(pools.settle()).rejects.toThrow('killed')
    expect(await slots(pools)).toEqual(['linux-1 ended'])
    expect(names(pools)).toEqual(['linux-1'])
    pools.cluster.onWrite = () => undefined
    pools.pass(HOUR)
    await pools.settle()
    expect(names(pools)).toEqual([])
    const outcomes = (await ledgerOf(pools)).map(({ act, outcome }) => `${act} ${outcome}`)
    expect(outcomes).not.toContain('delete-pod planned')
    expect(outcomes).not.toContain('strip-finalizer planned')
  })

  it('keep a pod that has ended until its death is stored, then remove it', async () => {
    await using pools = await openWarm(1)
    await queueJob(pools, 1)
    expect(await claim(pools)).toEqual(['linux-1'])
    pools.finish('linux-1')
    await pools.settle()
    expect(await slots(pools)).toContain('linux-1 ended')
    expect(names(pools)).toContain('linux-1')
    await pools.recordDeath('linux-1')
    await pools.settle()
    expect(names(pools)).not.toContain('linux-1')
    const rows = (await ledgerOf(pools)).filter(({ subject }) => subject.name === 'linux-1')
    expect(rows.map(({ act, outcome, evidence }) => [act, outcome, evidence !== null])).toEqual([
      ['strip-finalizer', 'done', true],
      ['delete-pod', 'done', true],
    ])
    expect(rows[1]?.gates.map(({ gate, holds }) => [gate, holds])).toEqual([
      ['identity', true],
      ['no-worker-process', true],
      ['complete-read', true],
      ['within-cap', true],
      ['evidence-stored', true],
    ])
  })

  it('drain a deleted pool: idle pods now, busy ones when they end, then the pool', async () => {
    await using pools = await openWarm(2)
    await queueJob(pools, 1)
    const [busy = ''] = await claim(pools)
    pools.cluster.delete('runnerpools', 'linux')
    await pools.settle()
    expect(names(pools)).toEqual([busy])
    expect(conditionsOf(pools).Ready).toBe('False: it is being deleted, and 1 of its pods are still there')
    pools.finish(busy)
    await pools.recordDeath(busy)
    await pools.settle()
    expect([names(pools), pools.cluster.list('runnerpools')]).toEqual([[], []])
    expect(pools.exposed()).not.toContain('pool="runners/linux"')
  })

  it('report the mistakes of a spec with their fields, and leave its pods alone', async () => {
    await using pools = await openWarm(1)
    pools.apply({ ...SPEC, size: { warm: 9, max: 'many' }, shutdown: 'now' })
    pools.pass(HOUR)
    await pools.settle()
    expect(names(pools)).toEqual(['linux-1'])
    const { SpecValid, Ready } = conditionsOf(pools)
    expect(SpecValid).toContain('spec.size.max is "many"')
    expect(SpecValid).toContain('spec.shutdown is "now"')
    expect(Ready).toMatch(/^False/)
  })

  it('roll to a new template, with a pod that waits at every moment', async () => {
    await using pools = await openWarm(2)
    const template = { spec: { containers: [{ name: 'runner', image: 'runner:2' }] } }
    pools.apply(warm(2, { template }))
    for (let round = 0; round < 10; round += 1) {
      await pools.settle()
      const waiting = pools
        .pods()
        .filter(({ metadata, status }) => status !== undefined && metadata.deletionTimestamp === undefined)
      expect(waiting.length).toBeGreaterThanOrEqual(2)
      pools.start()
    }
    expect(pools.pods().map(({ spec }) => textAt(listAt(spec, 'containers')[0], 'image'))).toEqual([
      'runner:2',
      'runner:2',
    ])
  })

  it('give up a pod that never starts, say why, and slow down', async () => {
    await using pools = await openPaperPools()
    pools.apply(warm(3))
    const message = 'quota exceeded: pods=10'
    pools.cluster.refusals = Array.from({ length: 3 }, () => ({ kind: 'forbidden' as const, message }))
    for (let round = 0; round < 5; round += 1) await pools.round()
    expect(conditionsOf(pools).Degraded).toContain('3 pods in a row did not start')
    expect(conditionsOf(pools).Degraded).toContain(message)
    await pools.round()
    expect(names(pools)).toEqual([])
    pools.pass(11_000)
    await pools.round()
    expect(names(pools)).toHaveLength(1)
    pools.pass(301_000)
    await pools.settle()
    expect(pools.lines.join('\n')).toContain('it has no node after 5m')
  })

  it('do nothing while pods are not seen, and say so', async () => {
    await using pools = await openWarm(1)
    pools.cluster.blind('pods')
    pools.apply(warm(3))
    expect((await pools.round()).blind).toContain('pods cannot be read')
    expect(names(pools)).toHaveLength(1)
    expect(pools.lines.join('\n')).toContain('pools are not reconciled')
    pools.cluster.see('pods')
    await pools.round()
    expect(names(pools)).toHaveLength(3)
  })
})

describe('the slots of pods', () => {
  it('are lost where the pod is gone and did not end', async () => {
    await using pools = await openWarm(2)
    pools.cluster.vanish('pods', 'linux-1')
    await pools.round()
    expect(await slots(pools)).toContain('linux-1 lost')
  })

  it('are not lost because a list is empty', async () => {
    await using pools = await openWarm(1)
    const { get } = pools.cluster.kubernetes
    const [pod] = pools.pods()
    pools.cluster.vanish('pods', 'linux-1')
    Object.assign(pools.cluster.kubernetes, { get: async () => ({ kind: 'seen', value: pod }) })
    await pools.round()
    expect(await slots(pools)).toContain('linux-1 warm')
    Object.assign(pools.cluster.kubernetes, { get })
    await pools.round()
    expect(await slots(pools)).toContain('linux-1 lost')
  })

  it('end where somebody else deletes an idle pod', async () => {
    await using pools = await openWarm(1)
    pools.cluster.delete('pods', 'linux-1')
    await pools.round()
    expect(await slots(pools)).toContain('linux-1 ended')
  })
})
