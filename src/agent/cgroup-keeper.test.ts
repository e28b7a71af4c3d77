import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NOON_MS, createHandClock } from '#test/github/hand-clock.ts'
import type { HandClock } from '#test/github/hand-clock.ts'
import { createCgroupKeeper } from './cgroup-keeper.ts'
import type { CgroupKeeper } from './cgroup-keeper.ts'

const UID = '0e6c1f0a-7d5e-4d0e-9a53-1f0a7d5e4d0e'
const ID = 'ab'.repeat(32)
const POD = { uid: UID, containers: [{ name: 'runner', id: ID }] }
const { signal } = new AbortController()

let root: string
let stop: AbortController
let done: Promise<void>
let clock: HandClock
let keeper: CgroupKeeper
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'signalbox-cgroups-'))
  stop = new AbortController()
  clock = createHandClock()
  keeper = createCgroupKeeper(root, clock)
  done = keeper.run(stop.signal)
})
afterEach(async () => {
  stop.abort()
  await done
  await rm(root, { recursive: true })
})

async function write(container: string, name: string, text: string): Promise<void> {
  const path = join(root, 'memory', `pod${UID}`, container, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

const kept = () => [...keeper.copies()].find(({ container }) => container === 'runner')

/** Time goes on until it is as expected. */
const until = (check: () => void | Promise<void>) =>
  vi.waitFor(
    async () => {
      clock.advance(1000)
      await check()
    },
    { timeout: 60_000, interval: 20 },
  )

describe('the counters that an agent keeps', () => {
  it('are the last ones of a container that is gone, with their time', async () => {
    await write(ID, 'memory.failcnt', '3')
    await write(ID, 'memory.limit_in_bytes', '100')
    keeper.keep([POD])
    await until(() => expect(kept()?.files.get('memory.failcnt')).toBe('3'))
    await write(ID, 'memory.failcnt', '4')
    await until(() => expect(kept()?.files.get('memory.failcnt')).toBe('4'))
    await rm(join(root, 'memory', `pod${UID}`), { recursive: true })
    const read = await keeper.read(POD, signal)
    const files = new Map([
      ['memory.limit_in_bytes', '100'],
      ['memory.failcnt', '4'],
    ])
    const readAt = expect.any(Number) as number
    expect(read).toEqual({ kind: 'seen', value: [{ container: 'runner', files, readAt }] })
    expect(read.kind === 'seen' ? read.value[0]?.readAt : 0).toBeGreaterThan(NOON_MS)
  })

  it('are read anew of what is there', async () => {
    await write(ID, 'memory.failcnt', '3')
    keeper.keep([POD])
    await until(() => expect(kept()).toBeDefined())
    await write(ID, 'memory.failcnt', '9')
    const read = await keeper.read(POD, signal)
    expect(read).toEqual({
      kind: 'seen',
      value: [{ container: 'runner', files: new Map([['memory.failcnt', '9']]) }],
    })
  })

  it('are none of a pod that was never kept and is not there', async () => {
    expect(await keeper.read(POD, signal)).toEqual({ kind: 'none' })
  })

  it('are let go a while after their pod is named no more', async () => {
    await write(ID, 'memory.failcnt', '3')
    keeper.keep([POD])
    await until(() => expect(kept()).toBeDefined())
    await rm(join(root, 'memory'), { recursive: true })
    keeper.keep([])
    clock.advance(100_000)
    expect([...keeper.copies()]).toEqual([])
    expect(await keeper.read(POD, signal)).toMatchObject({ kind: 'seen' })
    await until(async () => expect(await keeper.read(POD, signal)).toEqual({ kind: 'none' }))
  })
})
