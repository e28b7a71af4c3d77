import { describe, expect, it } from 'vitest'
import { none, seen } from '#/core/basics/observed.ts'
import type { PodLog } from '#/ports/node-agents.ts'
import type { CgroupCopy } from '#/ports/this-host.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { createEndedPods } from './ended-pods.ts'
import { openSpool } from './spool.ts'

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const { signal } = new AbortController()
const log = (text: string): PodLog => ({ container: 'runner', previous: false, text, cut: false })
const counter: CgroupCopy = { container: 'runner', files: new Map([['memory.failcnt', '3\n']]), readAt: 1 }
const POD = { uid: 'u', containers: [] }

async function start() {
  const world = { open: [] as PodLog[], counters: [counter], forgotten: [] as string[] }
  const clock = createHandClock()
  const spool = await openSpool({ folder: null, clock, log: quiet })
  const forget = (uid: string): void => void world.forgotten.push(uid)
  const pods = createEndedPods({
    spool,
    clock,
    cgroups: {
      keep: () => {},
      read: async () => none(),
      run: async () => {},
      copies: () => [],
      copiesOf: () => world.counters,
      forget,
    },
    logs: () => ({
      keep: () => {},
      read: async () => (world.open.length === 0 ? none() : seen(world.open)),
      forget: async (uid) => forget(uid),
      run: async () => {},
      held: () => 0,
    }),
  })
  const read = () => pods.logs({ uid: 'u', tailBytes: 12 })
  return { world, spool, pods, read }
}

describe('a pod that has ended', () => {
  it('is read from its open files, and from the spool when they are closed', async () => {
    const { world, pods, read } = await start()
    expect([await read(), await pods.counters(POD, signal)]).toEqual([none(), none()])
    await pods.copy('u', [log('kept\n')])
    world.open = [log('open\n')]
    expect(await read()).toEqual(seen([log('open\n')]))
    world.open = []
    expect(await read()).toEqual(seen([log('kept\n')]))
    expect(await pods.counters(POD, signal)).toEqual(seen([counter]))
  })

  it('keeps its logs when it is seen to end again, without them', async () => {
    const { world, pods, read } = await start()
    await pods.copy('u', [log('kept\n')])
    world.counters = []
    await pods.copy('u', [])
    expect(await read()).toEqual(seen([log('kept\n')]))
    world.counters = [counter]
    await pods.copy('u', [])
    expect([await read(), await pods.counters(POD, signal)]).toEqual([seen([log('kept\n')]), seen([counter])])
    world.counters = []
    await pods.copy('u', [log('longer\n')])
    expect([await read(), await pods.counters(POD, signal)]).toEqual([seen([log('longer\n')]), seen([counter])])
  })

  it('is let go when it is stored, and not kept again', async () => {
    const { world, pods, spool, read } = await start()
    await pods.copy('u', [log('kept\n')])
    await pods.stored(['u'])
    await pods.copy('u', [log('again\n')])
    expect([await read(), spool.size().pods, world.forgotten]).toEqual([none(), 0, ['u', 'u']])
  })

  it('is cut to the end that is asked for, from the beginning of a line', async () => {
    const { pods, read } = await start()
    await pods.copy('u', [log('first\nsecond\nlast\n')])
    expect(await read()).toEqual(seen([{ ...log('last\n'), cut: true }]))
  })

  it('of which nothing is there takes no room', async () => {
    const { world, pods, spool } = await start()
    world.counters = []
    await pods.copy('u', [])
    expect(spool.size().pods).toBe(0)
  })
})
