import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import type { RetentionPolicy } from '#/ports/store/retention.ts'
import type { Store } from '#/ports/store/store.ts'
import { refusedAttempt } from './ledger-builders.ts'
import { appeared, claim, delivery, getJob, jobFacts, mint, deathRecord, queued, recordAll } from './store-builders.ts'

const FOREVER: RetentionPolicy = {
  deliveriesMs: 1e12,
  finishedJobsMs: 1e12,
  deathsMs: 1e12,
  ledgerMs: 1e12,
  evidenceBytes: 1e12,
}
const NOTHING_SWEPT = {
  deliveries: 0,
  jobs: 0,
  slots: 0,
  postmortems: 0,
  notices: 0,
  evidenceParts: 0,
  evidenceBytesLeft: 0,
  ledger: 0,
}

const VERDICT = { cause: 'oom-killed', kind: 'death', confidence: 1, rules: '1', judgedAt: 1, document: {} }

export function retentionContract(store: () => Store): void {
  const finish = async (id: number, at: number) =>
    await recordAll(store(), queued(id), {
      kind: 'job-completed',
      at,
      facts: jobFacts(id),
      runner: null,
      conclusion: 'success',
    })

  describe('retention', () => {
    it('removes deliveries that are older than their age, pending or not', async () => {
      for (const [guid, receivedAt] of [
        ['a', 9],
        ['b', 10],
        ['c', 5],
      ] as const) {
        await store().deliveries.record(delivery(guid, { receivedAt }))
      }
      await store().deliveries.settle('c', { at: 6, outcome: 'applied', why: null })
      const report = await store().retention.sweep({ ...FOREVER, deliveriesMs: 90 }, 100)
      expect(report).toEqual({ ...NOTHING_SWEPT, deliveries: 2 })
      expect((await store().deliveries.pending(10)).map(({ guid }) => guid)).toEqual(['b'])
      expect(await store().deliveries.record(delivery('c'))).toBe('new')
    })

    it('removes finished jobs with their history, and no other job', async () => {
      await finish(1, 1009)
      await finish(2, 1010)
      await recordAll(store(), queued(3))
      const report = await store().retention.sweep({ ...FOREVER, finishedJobsMs: 90 }, 1100)
      expect(report).toEqual({ ...NOTHING_SWEPT, jobs: 1 })
      expect((await store().assignments.jobs({ limit: 10 })).map(({ id }) => id)).toEqual([2, 3])
      expect(await store().assignments.history(1)).toEqual([])
      expect(await store().assignments.history(2)).toHaveLength(2)
    })

    it('removes slots that ended or were lost, and no live one', async () => {
      await recordAll(store(), appeared('ended'), appeared('lost'), appeared('young'), appeared('warm'))
      await recordAll(
        store(),
        { kind: 'slot-ended', at: 1000, uid: 'ended' },
        { kind: 'slot-lost', at: 1000, uid: 'lost' },
      )
      await recordAll(store(), { kind: 'slot-ended', at: 1050, uid: 'young' })
      await recordAll(store(), queued(1), appeared('busy'))
      await claim(store(), 1, 'busy')
      await mint(store(), 'busy', { id: 1, name: 'busy' })
      const report = await store().retention.sweep({ ...FOREVER, finishedJobsMs: 90 }, 1100)
      expect(report).toEqual({ ...NOTHING_SWEPT, slots: 2 })
      expect((await store().assignments.slots({ limit: 10 })).map(({ uid }) => uid)).toEqual(['busy', 'warm', 'young'])
    })

    it('keeps a slot that is gone while a job still waits for it', async () => {
      await recordAll(store(), queued(1), appeared('a'))
      await claim(store(), 1, 'a', 1000)
      await recordAll(store(), { kind: 'slot-lost', at: 1001, uid: 'a' })
      const policy = { ...FOREVER, finishedJobsMs: 0 }
      expect(await store().retention.sweep(policy, 2000)).toEqual(NOTHING_SWEPT)
      const { generation } = await getJob(store().assignments, 1)
      const returned = { kind: 'job-returned', at: 1002, job: { id: 1, generation }, slot: 'a' } as const
      await recordAll(store(), { ...returned, reason: 'slot-lost' })
      expect(await store().retention.sweep(policy, 2000)).toEqual({ ...NOTHING_SWEPT, slots: 1 })
    })

    it('removes deaths by the time of their record, with their evidence, and keeps those of removed jobs', async () => {
      const none: EvidencePart = { source: 'log', observed: 'none', reason: null, content: null }
      await store().deaths.record(deathRecord('old', { recordedAt: 1009, verdict: VERDICT }), [none])
      await store().deaths.rejudge('old', { ...VERDICT, judgedAt: 2 })
      expect(await store().deaths.history('old')).toHaveLength(1)
      await store().deaths.record(deathRecord('young', { recordedAt: 1010, job: 1 }), [none])
      await finish(1, 1000)
      const policy = { ...FOREVER, deathsMs: 90, finishedJobsMs: 90 }
      expect(await store().retention.sweep(policy, 1100)).toEqual({ ...NOTHING_SWEPT, postmortems: 1, jobs: 1 })
      expect(await store().deaths.get('old')).toBeNull()
      expect(await store().deaths.history('old')).toEqual([])
      expect(await store().deaths.get('young')).toMatchObject({ death: { job: 1 }, evidence: [none] })
    })

    it('removes ledger entries by age, and does not reuse their numbers', async () => {
      const append = async (at: number) => {
        const recorded = await store().ledger.record(refusedAttempt({ at }))
        return recorded.kind === 'recorded' ? recorded.row.id : 0
      }
      const first = await append(9)
      await append(10)
      expect(await store().retention.sweep({ ...FOREVER, ledgerMs: 90 }, 100)).toEqual({ ...NOTHING_SWEPT, ledger: 1 })
      expect((await store().ledger.list({ limit: 10 })).map(({ at }) => at)).toEqual([10])
      expect(await append(9)).toBeGreaterThan(first + 1)
    })

    it('empties the oldest evidence until the compressed rest fits the limit, and records that', async () => {
      const part = (source: string): EvidencePart => ({
        source,
        observed: 'seen',
        reason: null,
        content: randomBytes(1000),
      })
      const size = ({ content }: EvidencePart) => gzipSync(content ?? new Uint8Array()).length
      const [first, second, third, fourth] = [part('a'), part('b'), part('a'), part('a')]
      await store().deaths.record(deathRecord('young', { recordedAt: 30 }), [fourth])
      await store().deaths.record(deathRecord('old', { recordedAt: 10 }), [first, second])
      await store().deaths.record(deathRecord('middle', { recordedAt: 20 }), [third])
      const evidenceBytes = size(second) + size(third) + size(fourth)
      expect(await store().retention.sweep({ ...FOREVER, evidenceBytes }, 100)).toEqual({
        ...NOTHING_SWEPT,
        evidenceParts: 1,
        evidenceBytesLeft: evidenceBytes,
      })
      const sources = (await store().deaths.get('old'))?.evidence
      expect(sources).toMatchObject([
        { source: 'a', observed: 'blind', content: null },
        { source: 'b', observed: 'seen' },
      ])
      expect(sources?.[0]?.reason).toMatch(/^expired: /u)
      const less = await store().retention.sweep({ ...FOREVER, evidenceBytes: evidenceBytes - 1 }, 100)
      expect(less).toEqual({ ...NOTHING_SWEPT, evidenceParts: 1, evidenceBytesLeft: size(third) + size(fourth) })
      expect((await store().deaths.list({ limit: 10 })).map(({ uid }) => uid)).toHaveLength(3)
      await store().deaths.record(deathRecord('old'), [first])
      expect((await store().deaths.get('old'))?.evidence[0]).toMatchObject({ observed: 'seen' })
    })

    it('removes more than one transaction covers', async () => {
      for (let index = 0; index < 1001; index += 1) await store().deliveries.record(delivery(`guid-${index}`))
      const report = await store().retention.sweep({ ...FOREVER, deliveriesMs: 0 }, 100)
      expect(report).toEqual({ ...NOTHING_SWEPT, deliveries: 1001 })
    })
  })
}
