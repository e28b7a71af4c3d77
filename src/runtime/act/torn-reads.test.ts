import { describe, expect, it } from 'vitest'
import { meansIn, WARRANT } from '#test/act/actor.ts'
import { openWorld } from '#test/act/one-act.ts'
import type { World } from '#test/act/world.ts'
import { act } from './act.ts'

/** Three reads of six sources. */
const READS = Array.from({ length: 18 }, (_, index) => index)

async function actWhile(happens: (world: World) => void, at: number, isScaled: boolean): Promise<World> {
  const { world, ledger } = openWorld()
  world.add('two')
  world.isFreedByScaling = isScaled
  let made = -1
  const means = meansIn(world, ledger, undefined, () => {
    made += 1
    if (made === at) happens(world)
  })
  await act(world.candidateOf('one', 'two'), means, WARRANT)
  return world
}

describe.each([true, false])('a wedged set, freed by scaling: %s', (isScaled) => {
  it.each(READS)('keeps a runner that was made before source %i of the reads was read', async (at) => {
    const { removed } = await actWhile((world) => world.add('three').uid, at, isScaled)
    expect(removed.map(({ uid }) => uid)).not.toContain('uid-3')
  })

  it.each(READS)('keeps its runners if one got a job before source %i was read', async (at) => {
    const { removed } = await actWhile((world) => world.giveJob('two'), at, isScaled)
    expect(removed.filter(({ hadJob }) => hadJob)).toEqual([])
  })
})

it('goes if nothing happens', async () => {
  expect((await actWhile(() => undefined, 0, true)).removed).toHaveLength(2)
})
