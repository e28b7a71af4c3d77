import { describe, expect, it } from 'vitest'
import { holds } from '#/core/interlock/gate.ts'
import type { Gate, GateId } from '#/core/interlock/gate.ts'
import { GATES } from '#/gates/index.ts'
import { liveThrough } from '#test/act/seeded-life.ts'
import type { Broken } from '#test/act/seeded-life.ts'

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed + 1)

/** As if it always held. */
function without(id: GateId): readonly Gate[] {
  const isHeld = (gate: Gate): Gate => ({ ...gate, check: ({ now }) => holds('made to hold', { at: now }) })
  return GATES.map((gate) => (gate.id === id ? isHeld(gate) : gate))
}

async function seedsThatFail(broken: Broken): Promise<readonly number[]> {
  const failing: number[] = []
  for (const seed of SEEDS) if ((await liveThrough(seed, broken)).wrongs.length > 0) failing.push(seed)
  return failing
}

describe('two acting processes that crash, an operator, ARC and GitHub, interleaved at each call and between two sources', () => {
  it('never remove a runner with a job, one without evidence, one that nobody proposed, or more than the cap, in 200 seeds', async () => {
    for (const seed of SEEDS) expect((await liveThrough(seed)).wrongs, `seed ${seed}`).toEqual([])
  })

  it('do remove what may go, and do crash: not every seed is all refusals', async () => {
    const lives = await Promise.all(SEEDS.map(async (seed) => await liveThrough(seed)))
    expect(lives.filter(({ removed }) => removed > 0).length).toBeGreaterThan(20)
    expect(lives.filter(({ removed }) => removed === 4).length).toBeGreaterThan(2)
    expect(lives.filter(({ crashes }) => crashes > 0).length).toBeGreaterThan(50)
  })

  // `never-started` is no gate of this act, and `within-cap` is decided by the ledger.
  const own = GATES.map(({ id }) => id).filter((id) => id !== 'never-started' && id !== 'within-cap')
  const broken: readonly (readonly [string, Broken])[] = [
    ...own.map((id) => [`the gate ${id} always holds`, { gates: without(id) }] as const),
    ['the cap is ignored', { isCapIgnored: true }],
    ['the preconditions are ignored', { arePreconditionsIgnored: true }],
    ['the premise is ignored', { isPremiseIgnored: true }],
  ]
  for (const [what, how] of broken) {
    it(`fail in at least one seed if ${what}`, async ({ annotate }) => {
      const seeds = await seedsThatFail(how)
      await annotate(`${seeds.length} of ${SEEDS.length} seeds: ${seeds.slice(0, 10).join(', ')}`)
      expect(seeds.length).toBeGreaterThan(0)
    })
  }
})
