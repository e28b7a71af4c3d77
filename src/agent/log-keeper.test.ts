import { appendFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { PodLog } from '#/ports/node-agents.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { createLogKeeper } from './log-keeper.ts'
import type { LogKeeper, LogKeeperOptions } from './log-keeper.ts'

const UID = '0e6c1f0a-7d5e-4d0e-9a53-1f0a7d5e4d0e'
const line = (text: string): string => `2026-11-16T07:00:00Z stdout F ${text}\n`
const served = (text: string): string => `2026-11-16T07:00:00Z ${text}\n`

let root: string
/** What was handed over, by pod. */
let copies: Map<string, readonly PodLog[]>
const copy = async (uid: string, logs: readonly PodLog[]): Promise<void> => void copies.set(uid, logs)
let stop: AbortController
let done: Promise<void>
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'signalbox-pod-logs-'))
  copies = new Map()
  stop = new AbortController()
  done = Promise.resolve()
})
afterEach(async () => {
  stop.abort()
  await done
  await rm(root, { recursive: true })
})

function start(more: Partial<LogKeeperOptions> = {}): LogKeeper {
  const keeper = createLogKeeper({ root, clock: systemClock, copy, ...more })
  done = keeper.run(stop.signal)
  return keeper
}

const logFolder = (uid: string, container = 'runner'): string => join(root, `ns_pod_${uid}`, container)

async function write(uid: string, name: string, text: string, container = 'runner'): Promise<void> {
  await mkdir(logFolder(uid, container), { recursive: true })
  await appendFile(join(logFolder(uid, container), name), text)
}

const holds = (keeper: LogKeeper, count: number) =>
  vi.waitFor(() => expect(keeper.held()).toBe(count), { timeout: 60_000 })

const read = (keeper: LogKeeper, uid = UID, tailBytes = 1000) => keeper.read({ uid, tailBytes })

describe('the logs that an agent holds', () => {
  it('outlive their files: they are copied when the folder goes, whether the server knows of it or not', async () => {
    const keeper = start()
    keeper.keep([UID])
    await write(UID, '0.log', line('first'))
    await write(UID, '0.log', line('beside'), 'sidecar')
    await holds(keeper, 2)
    await write(UID, '0.log', line('last words'))
    await rm(join(root, `ns_pod_${UID}`), { recursive: true })
    await holds(keeper, 0)
    expect(copies.get(UID)).toEqual([
      { container: 'runner', previous: false, text: served('first') + served('last words'), cut: false },
      { container: 'sidecar', previous: false, text: served('beside'), cut: false },
    ])
  })

  it('are copied when the server names their pod no more, and again with the last words when the folder goes', async () => {
    const keeper = start()
    keeper.keep([UID])
    await write(UID, '0.log', line('first'))
    await holds(keeper, 1)
    keeper.keep([])
    const copied = (text: string) =>
      vi.waitFor(() => expect(copies.get(UID)).toMatchObject([{ text }]), { timeout: 60_000 })
    await copied(served('first'))
    expect(keeper.held()).toBe(1)
    await write(UID, '0.log', line('last words'))
    await rm(join(root, `ns_pod_${UID}`), { recursive: true })
    await copied(served('first') + served('last words'))
    await holds(keeper, 0)
  })

  it('are copied up to 256 KiB each, and less of each where a pod has many', async () => {
    const keeper = start()
    keeper.keep([UID, 'many'])
    const long = line('x'.repeat(1000)).repeat(600)
    await write(UID, '0.log', long)
    for (let index = 0; index < 32; index += 1) await write('many', '0.log', long, `c${index}`)
    await holds(keeper, 33)
    keeper.keep([])
    await vi.waitFor(() => expect([...copies.keys()]).toEqual(expect.arrayContaining([UID, 'many'])), 60_000)
    const sizes = (uid: string): readonly number[] => (copies.get(uid) ?? []).map(({ text }) => text.length)
    expect(sizes(UID)[0]).toBeGreaterThan(240 * 1024)
    expect(sizes(UID)[0]).toBeLessThanOrEqual(256 * 1024)
    expect(sizes('many')).toHaveLength(32)
    expect(sizes('many').reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(4 * 1024 * 1024)
  })

  it('are let go at once when they are stored', async () => {
    const keeper = start()
    keeper.keep([UID])
    await write(UID, '0.log', line('x'))
    await holds(keeper, 1)
    await keeper.forget(UID)
    expect(keeper.held()).toBe(0)
  })

  it('are read from where they stand when nobody held them, and are none when there are none', async () => {
    const keeper = start()
    await write(UID, '0.log', line('there'))
    expect(await read(keeper)).toMatchObject({ kind: 'seen', value: [{ text: served('there') }] })
    expect(await read(keeper, 'unknown')).toEqual({ kind: 'none' })
  })

  it('are those of the last run, and of the one before a restart', async () => {
    const keeper = start()
    for (const run of [0, 1, 2]) await write(UID, `${run}.log`, line(`run ${run}`))
    expect(await read(keeper)).toMatchObject({
      value: [
        { previous: false, text: served('run 2') },
        { previous: true, text: served('run 1') },
      ],
    })
  })

  it('go on over a file that is turned over, before and after they were found', async () => {
    const keeper = start()
    await write(UID, '0.log.20261116-070000', line('older'))
    await write(UID, '0.log.20261116-060000', line('oldest'))
    await write(UID, '0.log', line('old'))
    expect(await read(keeper)).toMatchObject({ value: [{ text: served('older') + served('old'), cut: true }] })
    await rename(join(logFolder(UID), '0.log'), join(logFolder(UID), '0.log.20261116-080000'))
    await write(UID, '0.log', line('new'))
    expect(await read(keeper)).toMatchObject({ value: [{ text: served('old') + served('new'), cut: true }] })
  })

  it('are cut to their end, from the beginning of a line', async () => {
    const keeper = start()
    await write(UID, '0.log', Array.from({ length: 100 }, (_, index) => line(`number ${index}`)).join(''))
    const tail = await read(keeper, UID, 100)
    expect(tail).toMatchObject({ value: [{ text: served('number 98') + served('number 99'), cut: true }] })
  })

  it('are not followed to where a link leads', async () => {
    const keeper = start()
    await mkdir(logFolder(UID), { recursive: true })
    await writeFile(join(root, 'secret'), 'secret')
    await symlink(join(root, 'secret'), join(logFolder(UID), '0.log'))
    expect(await read(keeper)).toEqual({ kind: 'none' })
  })

  it('are not looked for where a link of a folder leads', async () => {
    const keeper = start()
    await write('other', '0.log', line('secret'))
    await mkdir(join(root, `ns_pod_${UID}`))
    await symlink(logFolder('other'), logFolder(UID))
    await symlink(join(root, 'ns_pod_other'), join(root, 'ns_pod_linked'))
    expect([await read(keeper), await read(keeper, 'linked')]).toEqual([{ kind: 'none' }, { kind: 'none' }])
  })

  it('take no room of others by being asked for: what does not fit is not held, however often', async () => {
    const keeper = createLogKeeper({ root, clock: systemClock, copy, mostFiles: 3 })
    for (const uid of ['a', 'b', 'c', 'd']) await write(uid, '0.log', line(uid))
    done = keeper.run(stop.signal)
    keeper.keep(['a', 'b'])
    await holds(keeper, 2)
    for (const uid of ['c', 'd', 'c', 'd']) await read(keeper, uid)
    expect(keeper.held()).toBe(2)
    stop.abort()
    await done
    expect(keeper.held()).toBe(0)
  })

  it('are not closed for another question while they are read for this one', async () => {
    const keeper = createLogKeeper({ root, clock: systemClock, copy, mostFiles: 2 })
    for (const uid of ['a', 'b']) await write(uid, '0.log', line(uid.repeat(1000)).repeat(500))
    const asked = Array.from({ length: 20 }, (_, index) => read(keeper, index % 2 === 0 ? 'a' : 'b', 500_000))
    const answers = await Promise.all(asked)
    done = keeper.run(stop.signal)
    expect(answers.map(({ kind }) => kind)).toEqual(asked.map(() => 'seen'))
  })

  it('are no more than so many: those that were let go first make room, those that live do not', async () => {
    const keeper = createLogKeeper({ root, clock: systemClock, copy, mostFiles: 3 })
    for (const uid of ['a', 'b', 'c', 'd']) await write(uid, '0.log', line(uid))
    done = keeper.run(stop.signal)
    keeper.keep(['a', 'b', 'c'])
    await holds(keeper, 2)
    expect(await read(keeper, 'c')).toEqual({ kind: 'none' })
    keeper.keep(['b', 'd'])
    expect(await read(keeper, 'd')).toMatchObject({ kind: 'seen' })
    expect(keeper.held()).toBe(2)
    await rm(join(root, 'ns_pod_b'), { recursive: true })
    expect(await read(keeper, 'b')).toMatchObject({ kind: 'seen' })
  })

  it('are let go a while after their pod is named no more, and all at the end', async () => {
    const clock = createHandClock()
    const keeper = start({ clock, holdMs: 10_000 })
    keeper.keep(['a', 'b'])
    await write('a', '0.log', line('a'))
    await write('b', '0.log', line('b'))
    await read(keeper, 'a')
    await read(keeper, 'b')
    expect(keeper.held()).toBe(2)
    keeper.keep(['b'])
    clock.advance(10_000)
    expect(await read(keeper, 'a')).toMatchObject({ kind: 'seen' })
    clock.advance(1)
    await vi.waitFor(() => {
      clock.advance(2000)
      expect(keeper.held()).toBe(1)
    }, 30_000)
    stop.abort()
    await done
    expect(keeper.held()).toBe(0)
  })
})
