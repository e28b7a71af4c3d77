import { describe, expect, it } from 'vitest'
import { blind } from '#/core/basics/observed.ts'
import { meansIn, WARRANT } from '#test/act/actor.ts'
import { callsOfAct, Crash, listRows, openWorld, outcomeOf } from '#test/act/one-act.ts'
import { act } from './act.ts'

const CALLS = await callsOfAct()

describe('a premise that has changed', () => {
  const changed = { kind: 'changed', why: 'the set wants it again' } as const

  for (const [place, call] of CALLS.entries()) {
    it(`before call ${place + 1}, ${call}, spares the runner, as long as GitHub has not let it go`, async () => {
      const { world, ledger } = openWorld()
      let made = 0
      const means = meansIn(world, ledger, () => {
        if (made === place) world.premise = changed
        made += 1
      })
      const result = await act(world.candidateOf('one'), means, WARRANT)
      const isSpared = place <= CALLS.lastIndexOf('observe', CALLS.indexOf('deregister'))
      expect(outcomeOf(result)).toBe(isSpared ? 'refused' : 'done')
      expect(world.removed).toHaveLength(isSpared ? 0 : 1)
      expect(world.runners.get('one')?.isRegistered).toBe(isSpared ? true : undefined)
      if (!isSpared || result.kind !== 'ended') return
      expect(result.row).toMatchObject({ decidedBy: 'identity', why: changed.why })
      expect(result.row.gates.find(({ gate }) => gate === 'identity')).toMatchObject({ holds: false })
    })
  }

  it('spares a runner that GitHub never had up to the removal', async () => {
    const { world, ledger } = openWorld()
    world.isListed = false
    const means = meansIn(world, ledger, (call) => {
      if (call === 'advance proving-again') world.premise = changed
    })
    expect(await act(world.candidateOf('one'), means, WARRANT)).toMatchObject({ row: { decidedBy: 'identity' } })
    expect(world.removed).toEqual([])
  })

  it('that cannot be seen refuses as a blind gate does', async () => {
    const { world, ledger } = openWorld()
    world.premise = blind('forbidden', 'its log')
    const result = await act(world.candidateOf('one'), meansIn(world, ledger), WARRANT)
    expect(result).toMatchObject({ row: { outcome: 'refused', decidedBy: 'identity', why: 'forbidden: its log' } })
    expect(world.removed).toEqual([])
  })

  it('says less than a gate that refuses: a job decides', async () => {
    const { world, ledger } = openWorld()
    world.premise = changed
    world.giveJob('one')
    const result = await act(world.candidateOf('one'), meansIn(world, ledger), WARRANT)
    expect(result).toMatchObject({ row: { decidedBy: 'no-job-on-record' } })
  })

  it.each([
    ['deregister', true],
    ['advance proving-again', false],
    ['remove', false],
  ] as const)('after a crash before "%s": spared is true to %s', async (at, isSpared) => {
    const { world, ledger } = openWorld()
    const candidate = world.candidateOf('one')
    const crashing = meansIn(world, ledger, (call) => {
      if (call === at) throw new Crash()
    })
    await expect(act(candidate, crashing, WARRANT)).rejects.toThrow(Crash)
    world.premise = changed
    world.now += WARRANT.abandonedAfterMs
    const result = await act(candidate, meansIn(world, ledger), { ...WARRANT, run: 'run-2' })
    expect(outcomeOf(result)).toBe(isSpared ? 'refused' : 'done')
    expect(world.removed).toHaveLength(isSpared ? 0 : 1)
    expect((await listRows(ledger)).filter(({ outcome }) => outcome === 'planned')).toEqual([])
  })
})

describe('an act on several runners that a crash left in the middle of the removals', () => {
  it('is no refusal if the rest may not go any more: a part is gone, and its row says so', async () => {
    const { world, ledger } = openWorld()
    world.add('two')
    const candidate = world.candidateOf('one', 'two')
    let removals = 0
    const crashing = meansIn(world, ledger, (call) => {
      removals += call === 'remove' ? 1 : 0
      if (removals === 2) throw new Crash()
    })
    await expect(act(candidate, crashing, WARRANT)).rejects.toThrow(Crash)
    for (const runner of world.runners.values()) runner.isRegistered = true
    for (const name of world.runners.keys()) world.giveJob(name)
    world.now += WARRANT.abandonedAfterMs
    const result = await act(candidate, meansIn(world, ledger), { ...WARRANT, run: 'run-2' })
    const why = expect.stringContaining('1 of 2 were gone before') as string
    expect(result).toMatchObject({ row: { outcome: 'failed', why } })
    expect(world.removed).toHaveLength(1)
  })
})
