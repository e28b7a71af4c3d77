import { describe, expect, it } from 'vitest'
import { refusedAttempt, runnerNamed } from './ledger-builders.ts'
import type { Store } from '#/ports/store/store.ts'
import { appeared, claim, delivery, jobFacts, mint, deathRecord, queued, recordAll } from './store-builders.ts'

/** A NUL, and half of a surrogate pair. */
const STRANGE = 'a\0b\uD800c'
const STORED = 'a\uFFFDb\uFFFDc'

/** Text that a JSON parser can return and a database may refuse. */
export function textsContract(store: () => Store): void {
  describe('texts that cannot be stored', () => {
    it('are stored in jobs, slots and histories with a replacement character', async () => {
      const facts = { name: STRANGE, repository: STRANGE, scope: 'pool', labels: [STRANGE] }
      const stored = { name: STORED, repository: STORED, labels: [STORED] }
      await recordAll(store(), queued(1, facts), appeared(STRANGE, { node: STRANGE }))
      await claim(store(), 1, STORED)
      await mint(store(), STRANGE, { id: 3, name: 'runner' })
      const conclusion = STRANGE
      await recordAll(store(), { kind: 'job-completed', at: 9, facts: jobFacts(1), runner: null, conclusion })
      const { assignments } = store()
      expect(await assignments.job(1)).toMatchObject({ ...stored, conclusion: STORED })
      expect(await assignments.slot(STRANGE)).toMatchObject({ uid: STORED, node: STORED })
      expect((await assignments.history(1))[0]?.event).toMatchObject({ facts: stored })
    })

    it('are found by their original text', async () => {
      await recordAll(store(), queued(1, { scope: STRANGE }), appeared(STRANGE, { scope: STRANGE }))
      const { assignments } = store()
      expect(await assignments.jobs({ scope: STRANGE, limit: 10 })).toHaveLength(1)
      const request = { scope: STRANGE, waiting: [STRANGE], jobLimit: 10, at: 10 }
      const pair = { job: 1, slot: STORED }
      expect(await assignments.match(request, () => [pair])).toMatchObject([{ slot: { uid: STORED } }])
    })

    it('make no delivery, death, entry, finding or breaker fail', async () => {
      const document = { [STRANGE]: [STRANGE, 1, null] }
      const stored = { [STORED]: [STORED, 1, null] }
      const { deliveries, deaths, ledger, findings, breakers } = store()
      expect(await deliveries.record(delivery(STRANGE, { body: STRANGE }))).toBe('new')
      expect(await deliveries.record(delivery(STRANGE))).toBe('repeated')
      expect(await deliveries.pending(10)).toMatchObject([{ guid: STORED, body: STORED }])
      await deliveries.settle(STRANGE, { at: 5, outcome: 'stale', why: STRANGE })
      expect(await deliveries.pending(10)).toEqual([])
      const verdict = { kind: 'death', cause: 'oom-killed', confidence: 1, rules: '1', judgedAt: 5, document }
      const part = { source: 'log', observed: 'blind', reason: STRANGE, content: null } as const
      await deaths.record(deathRecord('a', { verdict }), [part])
      expect(await deaths.get('a')).toMatchObject({
        death: { verdict: { document: stored } },
        evidence: [{ reason: STORED }],
      })
      const gates = [{ gate: STRANGE, holds: false, why: STRANGE, ageSeconds: 0 }]
      await ledger.record(refusedAttempt({ gates, actor: STRANGE, subject: runnerNamed(STRANGE) }))
      const [entry] = await ledger.list({ actor: STRANGE, name: STRANGE, limit: 1 })
      expect(entry).toMatchObject({ actor: STORED, subject: { name: STORED }, gates: [{ gate: STORED, why: STORED }] })
      expect(entry?.steps).toMatchObject([{ actor: STORED }])
      await findings.replace('runners', 1, [{ key: STRANGE, class: 'leak', severity: 'error', document }])
      expect(await findings.list({ limit: 1 })).toMatchObject([{ key: STORED, document: stored }])
      await breakers.put({ key: STRANGE, generation: 0, failures: 1, openUntil: null, why: STRANGE, changedAt: 1 })
      expect(await breakers.get(STRANGE)).toMatchObject({ key: STORED, why: STORED })
    })

    it('are stored unchanged in evidence, which is bytes', async () => {
      const content = Uint8Array.from([0, 255, 0, 216])
      await store().deaths.record(deathRecord('a'), [{ source: 'core', observed: 'seen', reason: null, content }])
      expect((await store().deaths.get('a'))?.evidence[0]?.content).toEqual(content)
    })
  })
}
