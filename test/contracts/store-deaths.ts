import { describe, expect, it } from 'vitest'
import { BEFORE_ACT } from '#/core/ledger/evidence-uid.ts'
import { MAX_EVIDENCE_BYTES } from '#/ports/store/evidence.ts'
import type { DeathFilter, Verdict } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import type { Store } from '#/ports/store/store.ts'
import { deathRecord } from './store-builders.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const VERDICT: Verdict = {
  cause: 'oom-killed',
  kind: 'death',
  confidence: 0.75,
  rules: '3',
  judgedAt: 50,
  document: { because: ['exit 137', null], nested: { deep: true } },
}

export function deathsContract(store: () => Store): void {
  const saw = (source: string, text: string): EvidencePart => ({
    source,
    observed: 'seen',
    reason: null,
    content: bytes(text),
  })
  const none = (source: string): EvidencePart => ({ source, observed: 'none', reason: null, content: null })
  const blind = (source: string, reason = 'forbidden: no rights'): EvidencePart => ({
    source,
    observed: 'blind',
    reason,
    content: null,
  })
  const readEvidence = async (uid: string) => (await store().deaths.get(uid))?.evidence

  describe('deaths', () => {
    it('are read back with their unchanged evidence, sources in order', async () => {
      const whole = deathRecord('a', { node: 'n1', scope: 'pool', job: 7, verdict: VERDICT })
      const empty = { ...saw('log', ''), content: new Uint8Array() }
      const binary = {
        ...saw('core', ''),
        content: Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256),
      }
      await store().deaths.record(whole, [none('events'), empty, blind('journal'), binary])
      expect(await store().deaths.get('a')).toEqual({
        death: whole,
        evidence: [binary, none('events'), blind('journal'), empty],
      })
    })

    it('are null when there is none', async () => {
      expect(await store().deaths.get('a')).toBeNull()
      expect(await store().deaths.rejudge('a', VERDICT)).toBe('absent')
    })

    it('add what a second record has, and keep what they had', async () => {
      await store().deaths.record(deathRecord('a', { node: 'n1' }), [])
      const second = { pod: 'renamed', node: 'n2', scope: 'pool', job: 7, diedAt: 99, recordedAt: 99, verdict: VERDICT }
      await store().deaths.record(deathRecord('a', second), [])
      const known = deathRecord('a', { node: 'n1', scope: 'pool', job: 7, verdict: VERDICT })
      expect((await store().deaths.get('a'))?.death).toEqual(known)
      await store().deaths.record(deathRecord('a', { verdict: { ...VERDICT, cause: 'evicted' } }), [])
      expect((await store().deaths.get('a'))?.death).toEqual(known)
    })

    it('take the time of the real end when only a failed start was recorded', async () => {
      const kept: Verdict = { ...VERDICT, cause: 'image-pull', kind: 'never-started' }
      await store().deaths.record(deathRecord('a', { diedAt: 10, verdict: kept }), [])
      await store().deaths.record(deathRecord('a', { diedAt: 99 }), [])
      expect((await store().deaths.get('a'))?.death.diedAt).toBe(10)
      await store().deaths.record(deathRecord('a', { diedAt: 99, verdict: VERDICT }), [])
      expect((await store().deaths.get('a'))?.death.diedAt).toBe(99)
    })

    it('replace a source only by one that saw more', async () => {
      const poorer = [blind('x'), none('x'), saw('x', 'first')]
      for (const [rank, part] of poorer.entries()) {
        await store().deaths.record(deathRecord('a'), [part])
        expect(await readEvidence('a')).toEqual([part])
        for (const other of [...poorer.slice(0, rank), { ...part, reason: 'again' }]) {
          await store().deaths.record(deathRecord('a'), [other])
          expect(await readEvidence('a')).toEqual([part])
        }
      }
      await store().deaths.record(deathRecord('a'), [saw('y', 'added')])
      expect(await readEvidence('a')).toEqual([saw('x', 'first'), saw('y', 'added')])
    })

    it('replace a source by a later revision of it, never by an earlier one, and never by one that saw less', async () => {
      await store().deaths.record(deathRecord('a'), [{ ...saw('x', 'second'), revision: 2 }])
      await store().deaths.record(deathRecord('a'), [{ ...saw('x', 'first'), revision: 1 }])
      await store().deaths.record(deathRecord('a'), [{ ...none('x'), revision: 9 }])
      expect(await readEvidence('a')).toEqual([saw('x', 'second')])
      await store().deaths.record(deathRecord('a'), [{ ...saw('x', 'third'), revision: 3 }])
      expect(await readEvidence('a')).toEqual([saw('x', 'third')])
    })

    it('are missed only if no record saw the end', async () => {
      await store().deaths.record(deathRecord('a', { missed: true }), [])
      expect((await store().deaths.get('a'))?.death.missed).toBe(true)
      await store().deaths.record(deathRecord('a', { missed: false }), [])
      await store().deaths.record(deathRecord('a', { missed: true }), [])
      expect((await store().deaths.get('a'))?.death.missed).toBe(false)
    })

    it('are found by pool, repository, kind, job, and the name of the pod or of the runner', async () => {
      const whole = { pool: 'linux', repository: 'acme/app', runner: 'linux-1-a1', job: 7, verdict: VERDICT }
      await store().deaths.record(deathRecord('a', whole), [])
      await store().deaths.record(deathRecord('b', { pool: 'gpu', repository: 'acme/web' }), [])
      const uids = async (filter: Omit<DeathFilter, 'limit'>) =>
        (await store().deaths.list({ ...filter, limit: 10 })).map(({ uid }) => uid)
      for (const filter of [
        { pool: 'linux' },
        { repository: 'acme/app' },
        { kind: 'death' },
        { job: 7 },
        { name: 'runner-a' },
        { name: 'linux-1-a1' },
      ]) {
        expect(await uids(filter)).toEqual(['a'])
      }
      expect(await uids({ pool: 'linux', repository: 'acme/web' })).toEqual([])
    })

    it('are read page by page, none twice and none left out', async () => {
      for (const uid of ['a', 'b', 'c', 'd']) {
        await store().deaths.record(deathRecord(uid, { diedAt: uid === 'd' ? 9 : 5 }), [])
      }
      const seen: string[] = []
      let after: DeathFilter['after']
      for (;;) {
        const page = await store().deaths.list({ limit: 2, ...(after === undefined ? {} : { after }) })
        seen.push(...page.map(({ uid }) => uid))
        after = page.at(-1)
        if (page.length < 2) break
      }
      expect(seen).toEqual(['d', 'c', 'b', 'a'])
      expect((await store().deaths.list({ until: 9, limit: 10 })).map(({ uid }) => uid)).toEqual(['c', 'b', 'a'])
    })

    it('are blind for a source that is too large to be stored', async () => {
      const content = new Uint8Array(MAX_EVIDENCE_BYTES + 1)
      await store().deaths.record(deathRecord('a'), [{ ...saw('log', ''), content }])
      expect(await readEvidence('a')).toEqual([
        blind('log', `too-large: ${content.length} bytes, at most ${MAX_EVIDENCE_BYTES} are stored`),
      ])
    })

    it('can be judged again', async () => {
      await store().deaths.record(deathRecord('a', { verdict: VERDICT }), [])
      const better: Verdict = {
        cause: 'node-lost',
        kind: 'death',
        confidence: 1,
        rules: '4',
        judgedAt: 60,
        document: null,
      }
      expect(await store().deaths.rejudge('a', better)).toBe('changed')
      expect((await store().deaths.get('a'))?.death.verdict).toEqual(better)
    })

    it('keep the former verdict as history when they are judged again', async () => {
      await store().deaths.record(deathRecord('a', { verdict: VERDICT }), [])
      expect(await store().deaths.history('a')).toEqual([])
      const second: Verdict = { ...VERDICT, cause: 'evicted', rules: '4', judgedAt: 20 }
      const third: Verdict = { ...VERDICT, judgedAt: 70 }
      for (const verdict of [second, third]) expect(await store().deaths.rejudge('a', verdict)).toBe('changed')
      expect((await store().deaths.get('a'))?.death.verdict).toEqual(third)
      expect(await store().deaths.history('a')).toEqual([second, VERDICT])
      await store().deaths.rejudge('a', third)
      expect(await store().deaths.history('a')).toHaveLength(2)
      expect(await store().deaths.history('b')).toEqual([])
    })

    it('keep the later of two recorded verdicts, whichever comes first, and repeat nothing', async () => {
      const start: Verdict = { ...VERDICT, cause: 'image-pull', kind: 'never-started', judgedAt: 99 }
      const later: Verdict = { ...VERDICT, cause: 'evicted', judgedAt: 60 }
      const records = [start, VERDICT, later].map((verdict, index) => deathRecord('a', { verdict, diedAt: index }))
      for (const record of [...records, ...records]) await store().deaths.record(record, [])
      expect((await store().deaths.get('a'))?.death).toMatchObject({ verdict: later, diedAt: 1 })
      expect(await store().deaths.history('a')).toEqual([VERDICT, start])
    })

    it('without a verdict are found, so that a restart can judge them', async () => {
      await store().deaths.record(deathRecord('a', { verdict: VERDICT }), [])
      await store().deaths.record(deathRecord('b', { verdict: null }), [])
      const found = await store().deaths.list({ unjudged: true, limit: 10 })
      expect(found.map(({ uid }) => uid)).toEqual(['b'])
    })

    it('are not what was kept before an act: that is found by its UID only', async () => {
      const kept = deathRecord('kept', { verdict: { ...VERDICT, kind: BEFORE_ACT } })
      await store().deaths.record(kept, [])
      expect((await store().deaths.get('kept'))?.death).toEqual(kept)
      expect(await store().deaths.list({ limit: 10 })).toEqual([])
      expect(await store().deaths.list({ kind: BEFORE_ACT, name: kept.pod, limit: 10 })).toEqual([])
    })

    it('are listed by time of death, cause and node, the latest first', async () => {
      await store().deaths.record(deathRecord('a', { diedAt: 10, recordedAt: 90, node: 'n1' }), [])
      await store().deaths.record(deathRecord('b', { diedAt: 30, verdict: VERDICT, node: 'n1' }), [])
      await store().deaths.record(deathRecord('c', { diedAt: 20, verdict: VERDICT }), [])
      await store().deaths.record(deathRecord('d', { diedAt: 20 }), [])
      const uids = async (filter: { since?: number; cause?: string; node?: string; limit: number }) =>
        (await store().deaths.list(filter)).map(({ uid }) => uid)
      expect(await uids({ limit: 10 })).toEqual(['b', 'd', 'c', 'a'])
      expect(await uids({ limit: 2 })).toEqual(['b', 'd'])
      expect(await uids({ since: 20, limit: 10 })).toEqual(['b', 'd', 'c'])
      expect(await uids({ cause: 'oom-killed', limit: 10 })).toEqual(['b', 'c'])
      expect(await uids({ node: 'n1', limit: 10 })).toEqual(['b', 'a'])
    })
  })
}
