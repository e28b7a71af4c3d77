import { describe, expect, it } from 'vitest'
import type { LedgerFilter } from '#/ports/store/ledger.ts'
import type { Store } from '#/ports/store/store.ts'
import {
  begun,
  endAs,
  endRefused,
  newAttempt,
  NO_CAP,
  refusedAttempt,
  rowIn,
  runnerNamed,
  takeStep,
} from './ledger-builders.ts'

/** What every ledger does, also one that no leader writes to. */
export function ledgerContract(store: () => Pick<Store, 'ledger'>): void {
  describe('ledger: one attempt', () => {
    it('is one row that says how far it got, and then how it ended', async () => {
      const { ledger } = store()
      const planned = await begun(store())
      expect(planned).toMatchObject({
        outcome: 'planned',
        decidedBy: null,
        evidence: null,
        endedAt: null,
        policy: 'offline',
      })
      const stored = rowIn(await ledger.advance(planned, takeStep('evidence-stored', { evidence: 'death-1' })))
      expect(await ledger.list({ limit: 10 })).toEqual([stored])
      const gates = [...stored.gates, { gate: 'github-deregistered', holds: true, why: 'accepted', ageSeconds: 0 }]
      const done = rowIn(await ledger.end(stored, endAs('done', { gates: gates })))
      expect(done).toEqual({
        ...planned,
        outcome: 'done',
        evidence: 'death-1',
        gates,
        endedAt: 30,
        steps: [
          { step: 'planned', at: 10, actor: 'signalbox/reap', epoch: null },
          { step: 'evidence-stored', at: 20, actor: 'signalbox/reap', epoch: null },
          { step: 'done', at: 30, actor: 'signalbox/reap', epoch: null },
        ],
      })
      expect(await ledger.list({ limit: 10 })).toEqual([done])
    })

    it('that a gate refuses on the way names the gate', async () => {
      const planned = await begun(store())
      const refused = rowIn(await store().ledger.end(planned, endRefused('github-deregistered')))
      expect(refused).toMatchObject({
        outcome: 'refused',
        decidedBy: 'github-deregistered',
        why: 'github-deregistered refused',
      })
    })

    it('that never began is recorded with its end', async () => {
      const recorded = await store().ledger.record(refusedAttempt())
      const [row] = await store().ledger.list({ limit: 10 })
      expect(recorded).toEqual({ kind: 'recorded', row })
      expect(row).toMatchObject({ outcome: 'refused', decidedBy: 'github-not-busy', endedAt: 10 })
      expect(row?.steps.map(({ step }) => step)).toEqual(['refused'])
    })

    it('keeps the origin that was given, and no other', async () => {
      const { policy: _policy, ...rest } = newAttempt() as ReturnType<typeof newAttempt> & { policy: string }
      await store().ledger.begin({ ...rest, loop: 'stale-claims', subject: runnerNamed('b') })
      await store().ledger.begin({ ...rest, command: 'lane cap', subject: runnerNamed('c') })
      const [command, loop] = await store().ledger.list({ limit: 10 })
      expect(command).toMatchObject({ command: 'lane cap' })
      expect(Object.keys(loop ?? {}).filter((key) => ['policy', 'loop', 'command'].includes(key))).toEqual(['loop'])
    })

    it('moves forward only: not twice from the same step, and not after its end', async () => {
      const { ledger } = store()
      const planned = await begun(store())
      const stepped = rowIn(await ledger.advance(planned, takeStep('deregistered')))
      expect(await ledger.advance(planned, takeStep('deleting'))).toEqual({ kind: 'stale', row: stepped })
      expect(await ledger.end(planned, endAs('done'))).toEqual({ kind: 'stale', row: stepped })
      const ended = rowIn(await ledger.end(stepped, endAs('vanished')))
      for (const handle of [planned, stepped, ended]) {
        expect(await ledger.end(handle, endAs('done'))).toEqual({ kind: 'stale', row: ended })
      }
      expect(await ledger.end({ id: 999_999, steps: [] }, endAs('done'))).toEqual({ kind: 'stale', row: null })
    })

    it('keeps the evidence that was stored first', async () => {
      const planned = await begun(store(), { evidence: 'first' })
      expect(rowIn(await store().ledger.advance(planned, takeStep('x', { evidence: 'second' })))).toMatchObject({
        evidence: 'first',
      })
    })

    it('that a crash left open is closed by another, who is named in the step', async () => {
      await begun(store(), { actor: 'anna' })
      const [open] = await store().ledger.list({ outcome: 'planned', limit: 10 })
      if (open === undefined) throw new Error('nothing is open')
      const closed = rowIn(await store().ledger.end(open, endAs('failed', { actor: 'signalbox/reap' })))
      expect(closed).toMatchObject({ actor: 'anna', outcome: 'failed' })
      expect(closed.steps.at(-1)).toMatchObject({ actor: 'signalbox/reap' })
    })

    it('cuts names and proofs that are too long to be kept, and finds them by their whole name', async () => {
      const name = '🙂'.repeat(600)
      const gates = [{ gate: 'g', holds: null, why: 'x'.repeat(10_000), ageSeconds: 0 }]
      await store().ledger.record(refusedAttempt({ actor: name, gates, subject: runnerNamed(name) }))
      const [row] = await store().ledger.list({ actor: name, name, limit: 1 })
      expect(row?.subject.name).toHaveLength(500)
      expect(row?.gates[0]?.why).toHaveLength(2000)
      const long = newAttempt({ subject: runnerNamed(name, null) })
      expect(await store().ledger.begin(long)).toMatchObject({ kind: 'planned' })
      expect(await store().ledger.begin(long)).toMatchObject({ kind: 'taken' })
    })
  })

  describe('ledger: the same act on the same subject', () => {
    it('is taken while it is under way, and free again after it failed, vanished or was refused', async () => {
      const { ledger } = store()
      for (const end of [endAs('failed'), endAs('vanished'), endRefused('identity')]) {
        const first = await begun(store())
        expect(await ledger.begin(newAttempt({ run: 'run-2' }))).toEqual({ kind: 'taken', row: first })
        expect(await ledger.end(first, end)).toMatchObject({ kind: 'moved' })
      }
      expect(await ledger.list({ limit: 10 })).toHaveLength(3)
    })

    it('is free again after a scale set lost its runners, because the set is still there', async () => {
      const [{ ledger }, act] = [store(), 'delete-ephemeral-runner' as const]
      const subject = { kind: 'AutoscalingRunnerSet', namespace: 'runners', name: 'linux', uid: 'uid-set' }
      await ledger.end(await begun(store(), { act, subject }), endAs('done'))
      expect(await ledger.begin(newAttempt({ act, subject, run: 'run-2' }))).toMatchObject({ kind: 'planned' })
    })

    it('is taken for ever once it was deleted, because a UID never returns', async () => {
      const { ledger } = store()
      const done = rowIn(await ledger.end(await begun(store()), endAs('done')))
      expect(await ledger.begin(newAttempt({ run: 'run-2' }))).toEqual({ kind: 'taken', row: done })
      expect(await ledger.begin(newAttempt({ subject: runnerNamed('a', 'another') }))).toMatchObject({
        kind: 'planned',
      })
      const capped = { act: 'set-cap', subject: runnerNamed('linux') } as const
      await ledger.end(await begun(store(), capped), endAs('done'))
      expect(await ledger.begin(newAttempt(capped))).toMatchObject({ kind: 'planned' })
    })

    it('is the same by UID, or without one by kind, namespace and name', async () => {
      const { ledger } = store()
      await begun(store())
      expect(await ledger.begin(newAttempt({ act: 'deregister-runner' }))).toMatchObject({ kind: 'planned' })
      expect(await ledger.begin(newAttempt({ subject: runnerNamed('renamed', 'uid-a') }))).toMatchObject({
        kind: 'taken',
      })
      const job = { kind: 'Job', namespace: null, name: '4711', uid: null }
      const returned = newAttempt({ act: 'return-job', subject: job })
      expect(await ledger.begin(returned)).toMatchObject({ kind: 'planned' })
      expect(await ledger.begin(returned)).toMatchObject({ kind: 'taken' })
      const other = { ...job, name: '4712' }
      expect(await ledger.begin(newAttempt({ act: 'return-job', subject: other }))).toMatchObject({ kind: 'planned' })
    })
  })

  describe('ledger: the cap', () => {
    const cap = { run: 3, set: 2 }
    const beginNamed = async (name: string, changes: Parameters<typeof newAttempt>[0] = {}) =>
      await store().ledger.begin(newAttempt({ subject: runnerNamed(name), cap, ...changes }))

    it('refuses what is beyond it, in a row that says why', async () => {
      expect(rowIn(await beginNamed('a')).gates.at(-1)).toEqual({
        gate: 'within-cap',
        holds: true,
        why: '0 of 3 places of this run and 0 of 2 places of runners/linux were taken before',
        ageSeconds: 0,
      })
      await beginNamed('b')
      const refused = await beginNamed('c')
      expect(refused).toMatchObject({
        kind: 'refused',
        row: {
          outcome: 'refused',
          decidedBy: 'within-cap',
          why: '2 of 2 places of runners/linux are taken, 1 place is needed',
        },
      })
      expect(await beginNamed('d', { scaleSet: 'runners/arm' })).toMatchObject({ kind: 'planned' })
      const ofRun = { row: { why: '3 of 3 places of this run are taken, 1 place is needed' } }
      expect(await beginNamed('e', { scaleSet: 'runners/gpu' })).toMatchObject(ofRun)
      expect(await beginNamed('e', { scaleSet: 'runners/gpu', run: 'run-2' })).toMatchObject({ kind: 'planned' })
      expect(await store().ledger.list({ outcome: 'refused', limit: 10 })).toHaveLength(2)
    })

    it('counts what was done or may have been, not what was refused or had vanished', async () => {
      const { ledger } = store()
      for (const [name, end] of [
        ['a', endAs('vanished')],
        ['b', endRefused('identity')],
        ['c', endAs('failed')],
        ['d', endAs('done')],
      ] as const) {
        expect(await ledger.end(rowIn(await beginNamed(name)), end)).toMatchObject({ kind: 'moved' })
      }
      expect(await beginNamed('e')).toMatchObject({ kind: 'refused' })
    })

    it('counts of the set also what another run has under way, and not what it ended', async () => {
      const first = rowIn(await beginNamed('a', { run: 'other' }))
      rowIn(await beginNamed('b', { run: 'other' }))
      expect(await beginNamed('c')).toMatchObject({ kind: 'refused' })
      await store().ledger.end(first, endAs('done'))
      expect(await beginNamed('c')).toMatchObject({ kind: 'planned' })
    })

    it('counts each runner of an act that removes several, and refuses the whole act', async () => {
      expect(await beginNamed('a', { places: 3, cap: { run: 2, set: null } })).toMatchObject({
        row: { why: '0 of 2 places of this run are taken, 3 places are needed' },
      })
      expect(await beginNamed('a', { places: 2, cap: { run: 2, set: null } })).toMatchObject({ kind: 'planned' })
    })

    it('of a set refuses where the set is not known', async () => {
      const refused = rowIn(await beginNamed('a', { scaleSet: null }))
      expect(refused).toMatchObject({ outcome: 'refused', decidedBy: 'within-cap' })
      expect(refused.gates.at(-1)).toMatchObject({ gate: 'within-cap', holds: null })
      expect(await beginNamed('a', { scaleSet: null, cap: NO_CAP })).toMatchObject({ kind: 'planned' })
    })

    it('replaces a count that was made before', async () => {
      const guess = { gate: 'within-cap', holds: true, why: 'a guess', ageSeconds: 60 }
      const other = { gate: 'identity', holds: true, why: 'x', ageSeconds: 0 }
      const row = rowIn(await beginNamed('a', { gates: [guess, other] }))
      expect(row.gates.map(({ gate, ageSeconds }) => [gate, ageSeconds])).toEqual([
        ['within-cap', 0],
        ['identity', 0],
      ])
    })
  })

  describe('ledger: an epoch that nobody knows', () => {
    it('writes nothing', async () => {
      const { ledger } = store()
      const planned = await begun(store())
      const fenced = { kind: 'fenced', epoch: null }
      expect(await ledger.begin(newAttempt({ epoch: 7, subject: runnerNamed('b') }))).toEqual(fenced)
      expect(await ledger.record(refusedAttempt({ epoch: 7 }))).toEqual(fenced)
      expect(await ledger.advance(planned, takeStep('deleting', { epoch: 7 }))).toEqual(fenced)
      expect(await ledger.end(planned, endAs('done', { epoch: 7 }))).toEqual(fenced)
      expect(await ledger.list({ limit: 10 })).toEqual([planned])
    })
  })

  describe('ledger: the list', () => {
    it('is filtered by time, act, actor, outcome and name, and read page by page', async () => {
      const { ledger } = store()
      await begun(store(), { at: 10, subject: runnerNamed('a') })
      await ledger.record(refusedAttempt({ at: 20, subject: runnerNamed('b'), actor: 'anna' }))
      await begun(store(), { at: 30, act: 'set-cap', subject: runnerNamed('b') })
      await ledger.record(refusedAttempt({ at: 30, subject: runnerNamed('c') }))
      const listed = async (filter: Omit<LedgerFilter, 'limit'>, limit = 10) =>
        (await ledger.list({ ...filter, limit })).map(({ at, subject }) => `${subject.name}${at}`)
      expect(await listed({})).toEqual(['c30', 'b30', 'b20', 'a10'])
      expect(await listed({ since: 20, until: 30 })).toEqual(['b20'])
      expect(await listed({ act: 'set-cap' })).toEqual(['b30'])
      expect(await listed({ actor: 'anna' })).toEqual(['b20'])
      expect(await listed({ outcome: 'refused' })).toEqual(['c30', 'b20'])
      expect(await listed({ name: 'b', outcome: 'planned' })).toEqual(['b30'])
      const [latest] = await ledger.list({ limit: 1 })
      expect(await ledger.list({ id: latest?.id ?? 0, limit: 10 })).toEqual([latest])
      expect(await listed({ id: 999_999 })).toEqual([])
      const pages: string[] = []
      for (let after: LedgerFilter['after']; ;) {
        const [row] = await ledger.list({ ...(after === undefined ? {} : { after }), limit: 1 })
        if (row === undefined) break
        pages.push(`${row.subject.name}${row.at}`)
        after = row
      }
      expect(pages).toEqual(['c30', 'b30', 'b20', 'a10'])
    })
  })
}

/** For the ledger of a store that has a lease. */
export function ledgerFencingContract(store: () => Pick<Store, 'ledger'>, lead: () => Promise<number>): void {
  describe('ledger: a leader that lost its epoch', () => {
    it('can neither begin, nor go on, nor end, nor record', async () => {
      const { ledger } = store()
      const epoch = await lead()
      const planned = await begun(store(), { epoch })
      expect(planned).toMatchObject({ epoch, outcome: 'planned' })
      const next = await lead()
      const fenced = { kind: 'fenced', epoch: next }
      expect(await ledger.begin(newAttempt({ epoch, subject: runnerNamed('b') }))).toEqual(fenced)
      expect(await ledger.record(refusedAttempt({ epoch }))).toEqual(fenced)
      expect(await ledger.advance(planned, takeStep('deleting', { epoch }))).toEqual(fenced)
      expect(await ledger.end(planned, endAs('done', { epoch: epoch }))).toEqual(fenced)
      expect(await ledger.list({ limit: 10 })).toEqual([planned])
      const closed = rowIn(await ledger.end(planned, endAs('failed', { epoch: next })))
      expect(closed.steps.map((step) => step.epoch)).toEqual([epoch, next])
    })
  })
}
