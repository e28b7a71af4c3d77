import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { blind } from '#/core/basics/observed.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { GATES } from '#/gates/index.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { meansIn, WARRANT } from '#test/act/actor.ts'
import { World } from '#test/act/world.ts'
import { act, resume } from './act.ts'
import type { ActResult } from './means.ts'

class Crash extends Error {}

function open(): { readonly world: World; readonly ledger: Ledger; readonly lead: () => Promise<number> } {
  const { store, lead } = openMemoryStore()
  const world = new World()
  world.add('one')
  return { world, ledger: store.ledger, lead }
}

function outcomeOf(result: ActResult): string {
  return result.kind === 'ended' ? result.row.outcome : result.kind
}

async function listAll(ledger: Ledger): Promise<readonly LedgerRow[]> {
  return await ledger.list({ limit: 100 })
}

/** Every call of a port in an act that goes through, in order. */
async function callsOfAct(): Promise<readonly string[]> {
  const { world, ledger } = open()
  const calls: string[] = []
  await act(
    world.candidateOf('one'),
    meansIn(world, ledger, (call) => void calls.push(call)),
    WARRANT,
  )
  return calls
}

const CALLS = await callsOfAct()

describe('act', () => {
  it('writes each step before it is taken, and stores the evidence before anything is changed', () => {
    expect(CALLS).toEqual([
      'observe',
      'begin',
      'advance storing-evidence',
      'observe',
      'store evidence',
      'advance deregistering',
      'deregister',
      'advance proving-again',
      'observe',
      'advance removing',
      'remove',
      'end',
    ])
  })

  it('leaves a row with the proof of every gate that the act requires', async () => {
    const { world, ledger } = open()
    const result = await act(world.candidateOf('one'), meansIn(world, ledger), WARRANT)
    expect(result).toMatchObject({ kind: 'ended', row: { outcome: 'done', evidence: 'death of one', decidedBy: null } })
    const [row] = await listAll(ledger)
    const required = GATES.map(({ id }) => id).filter((id) => id !== 'never-started')
    expect(row?.gates.map(({ gate }) => gate)).toEqual(required)
    expect(row?.gates.every(({ holds, why }) => holds === true && why !== '')).toBe(true)
    expect(world.removed).toHaveLength(1)
  })

  it('deletes the version that was proved, and nothing later', async () => {
    const { world, ledger } = open()
    const means = meansIn(world, ledger, (call) => {
      const runner = world.runners.get('one')
      if (call === 'remove' && runner !== undefined) runner.version += 1
    })
    const result = await act(world.candidateOf('one'), means, WARRANT)
    expect(result).toMatchObject({ row: { outcome: 'refused', decidedBy: 'identity' } })
    expect(world.removed).toEqual([])
  })

  it.each(['remove', 'advance removing'])('says vanished if somebody else removes it before "%s"', async (step) => {
    const { world, ledger } = open()
    const means = meansIn(world, ledger, (call) => void (call === step && world.runners.delete('one')))
    expect(outcomeOf(await act(world.candidateOf('one'), means, WARRANT))).toBe('vanished')
  })

  it('leaves a new runner of the same name alone', async () => {
    const { world, ledger } = open()
    const means = meansIn(world, ledger, (call) => void (call === 'remove' && world.add('one')))
    expect(outcomeOf(await act(world.candidateOf('one'), means, WARRANT))).toBe('vanished')
    expect(world.removed).toEqual([])
  })

  it('refuses if the evidence cannot be stored, before GitHub is asked', async () => {
    const { world, ledger } = open()
    world.canStoreEvidence = false
    const result = await act(world.candidateOf('one'), meansIn(world, ledger), WARRANT)
    expect(result).toMatchObject({ row: { outcome: 'refused', decidedBy: 'evidence-stored' } })
    expect(world.runners.get('one')?.isRegistered).toBe(true)
  })

  it.each([
    ['busy', { kind: 'busy' as const }],
    ['blind', blind('timeout', 'GitHub did not answer')],
  ])('takes it for a gate, not for an error, that GitHub answers: %s', async (_title, answer) => {
    const { world, ledger } = open()
    const means = { ...meansIn(world, ledger), github: { deregister: async () => answer } }
    const result = await act(world.candidateOf('one'), means, WARRANT)
    expect(result).toMatchObject({ row: { outcome: 'refused', decidedBy: 'github-deregistered' } })
    expect(world.removed).toEqual([])
  })

  it.each([
    [{ kind: 'declined' as const, message: 'admission webhook denied it' }, 'failed'],
    [{ ...blind('timeout', 'no answer'), applied: 'no' as const }, 'failed'],
    [{ ...blind('timeout', 'no answer'), applied: 'unknown' as const }, 'failed'],
    [{ kind: 'gone' as const }, 'vanished'],
  ])('ends an attempt whose removal was answered by %j as %s', async (answer, outcome) => {
    const { world, ledger } = open()
    const own = meansIn(world, ledger)
    const means = { ...own, kubernetes: { ...own.kubernetes, remove: async () => answer } }
    expect(outcomeOf(await act(world.candidateOf('one'), means, WARRANT))).toBe(outcome)
  })

  it('calls a removal done whose answer was lost, if the object is gone', async () => {
    const { world, ledger } = open()
    const own = meansIn(world, ledger)
    const remove: typeof own.kubernetes.remove = async (target) => {
      world.remove(target)
      return { ...blind('timeout', 'no answer'), applied: 'unknown' }
    }
    const means = { ...own, kubernetes: { ...own.kubernetes, remove } }
    expect(outcomeOf(await act(world.candidateOf('one'), means, WARRANT))).toBe('done')
  })
})

describe('a job that arrives between the proof and the removal', () => {
  for (const [place, call] of CALLS.entries()) {
    it(`spares the runner if it arrives before call ${place + 1}, ${call}`, async () => {
      const { world, ledger } = open()
      let made = 0
      const means = meansIn(world, ledger, () => {
        if (made === place) world.giveJob('one')
        made += 1
      })
      const result = await act(world.candidateOf('one'), means, WARRANT)
      expect(world.removed.filter(({ hadJob }) => hadJob)).toEqual([])
      const hadArrived = place <= CALLS.indexOf('deregister')
      expect(outcomeOf(result)).toBe(hadArrived ? 'refused' : 'done')
    })
  }
})

describe('a crash', () => {
  for (const [place, call] of CALLS.entries()) {
    it(`before call ${place + 1}, ${call}, is finished by the next run, and nothing is done twice`, async () => {
      const { world, ledger } = open()
      const candidate = world.candidateOf('one')
      let made = 0
      const crashing = meansIn(world, ledger, () => {
        made += 1
        if (made > place) throw new Crash()
      })
      await expect(act(candidate, crashing, WARRANT)).rejects.toThrow(Crash)
      world.now += WARRANT.abandonedAfterMs
      await act(candidate, meansIn(world, ledger), { ...WARRANT, run: 'run-2' })
      expect(world.removed).toHaveLength(1)
      const rows = await listAll(ledger)
      expect(rows.map(({ outcome }) => outcome)).toEqual(['done'])
      expect(rows[0]?.evidence).toBe('death of one')
    })

    it(`before call ${place + 1}, ${call}, with a job before the next run, is closed and removes nothing more`, async () => {
      const { world, ledger } = open()
      const candidate = world.candidateOf('one')
      let made = 0
      const crashing = meansIn(world, ledger, () => {
        made += 1
        if (made > place) throw new Crash()
      })
      await expect(act(candidate, crashing, WARRANT)).rejects.toThrow(Crash)
      world.giveJob('one')
      world.now += WARRANT.abandonedAfterMs
      await act(candidate, meansIn(world, ledger), { ...WARRANT, run: 'run-2' })
      expect(world.removed.filter(({ hadJob }) => hadJob)).toEqual([])
      expect((await listAll(ledger)).filter(({ outcome }) => outcome === 'planned')).toEqual([])
    })
  }

  it('of a moment ago may be no crash: the attempt is left to its owner', async () => {
    const { world, ledger } = open()
    const crashing = meansIn(world, ledger, (call) => {
      if (call === 'remove') throw new Crash()
    })
    await expect(act(world.candidateOf('one'), crashing, WARRANT)).rejects.toThrow(Crash)
    expect(outcomeOf(await act(world.candidateOf('one'), meansIn(world, ledger), WARRANT))).toBe('taken')
  })

  it.each([
    ['remove', 'whether they are gone is not known'],
    ['deregister', 'before anything was removed'],
  ])('at "%s" of an act whose runners nobody knows any more is closed, and is not called done', async (at, why) => {
    const { world, ledger } = open()
    const candidate = world.candidateOf('one')
    const crashing = meansIn(world, ledger, (call) => {
      if (call === at) throw new Crash()
    })
    await expect(act(candidate, crashing, WARRANT)).rejects.toThrow(Crash)
    const [row] = await listAll(ledger)
    if (row === undefined) throw new Error('the crash left no row')
    const later = { ...WARRANT, abandonedAfterMs: 0 }
    const closed = await resume(row, { ...candidate, runners: [] }, meansIn(world, ledger), later)
    expect(closed).toMatchObject({ row: { outcome: 'failed', why: expect.stringContaining(why) as string } })
    expect(world.removed).toEqual([])
  })

  it('in the middle of several removals is finished for those that are left', async () => {
    const { world, ledger } = open()
    world.add('two')
    const candidate = world.candidateOf('one', 'two')
    let removals = 0
    const crashing = meansIn(world, ledger, (call) => {
      removals += call === 'remove' ? 1 : 0
      if (removals === 2) throw new Crash()
    })
    await expect(act(candidate, crashing, WARRANT)).rejects.toThrow(Crash)
    expect(world.removed).toHaveLength(1)
    world.now += WARRANT.abandonedAfterMs
    expect(outcomeOf(await act(candidate, meansIn(world, ledger), WARRANT))).toBe('done')
    expect(world.removed).toHaveLength(2)
    expect(await listAll(ledger)).toHaveLength(1)
  })
})

describe('bounds', () => {
  it('removes as many as the cap has places, and names it for the others', async () => {
    const { world, ledger } = open()
    for (const name of ['two', 'three', 'four']) world.add(name)
    const results = []
    for (const name of world.runners.keys()) {
      const warrant = { ...WARRANT, cap: { run: 2, set: 10 } }
      results.push(await act(world.candidateOf(name), meansIn(world, ledger), warrant))
    }
    expect(results.map(outcomeOf)).toEqual(['done', 'done', 'refused', 'refused'])
    expect(results[2]).toMatchObject({ row: { decidedBy: 'within-cap' } })
    expect(world.removed).toHaveLength(2)
  })

  it('removes no part of a set if the cap has no room for all of it', async () => {
    const { world, ledger } = open()
    world.add('two')
    const warrant = { ...WARRANT, cap: { run: 1, set: 10 } }
    const result = await act(world.candidateOf('one', 'two'), meansIn(world, ledger), warrant)
    expect(result).toMatchObject({ row: { decidedBy: 'within-cap' } })
    expect(world.removed).toEqual([])
  })

  it('finishes no attempt on a set that has grown since the ledger counted its runners', async () => {
    const { world, ledger } = open()
    world.add('two')
    const warrant = { ...WARRANT, cap: { run: 2, set: 2 } }
    const crashing = meansIn(world, ledger, (call) => {
      if (call === 'remove') throw new Crash()
    })
    await expect(act(world.candidateOf('one', 'two'), crashing, warrant)).rejects.toThrow(Crash)
    world.now += WARRANT.abandonedAfterMs
    world.add('three')
    const grown = world.candidateOf('one', 'two', 'three')
    const result = await act(grown, meansIn(world, ledger), { ...warrant, run: 'next' })
    expect(result).toMatchObject({ row: { outcome: 'refused', decidedBy: 'within-cap' } })
    expect(world.removed).toEqual([])
  })

  it('removes no part of a set if one of its runners has a job', async () => {
    const { world, ledger } = open()
    world.add('two')
    const means = meansIn(world, ledger, (call) => void (call === 'deregister' && world.giveJob('two')))
    const result = await act(world.candidateOf('one', 'two'), means, WARRANT)
    expect(outcomeOf(result)).toBe('refused')
    expect(world.removed).toEqual([])
  })

  it.each(CALLS.filter((call) => /^(?:begin|advance|end)/u.test(call)))(
    'stops at "%s" once another leader has the lease',
    async (step) => {
      const { world, ledger, lead } = open()
      const epoch = await lead()
      const means = meansIn(world, ledger, async (call) => void (call === step && (await lead())))
      expect(await act(world.candidateOf('one'), means, { ...WARRANT, epoch })).toMatchObject({ kind: 'fenced' })
      expect(world.removed).toHaveLength(step === 'end' ? 1 : 0)
    },
  )
})
