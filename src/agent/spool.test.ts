import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogFields } from '#/ports/log.ts'
import { createHandClock, NOON_MS } from '#test/github/hand-clock.ts'
import { sampled } from '#test/tiers/long-run.ts'
import { readEndedPod, writeEndedPod } from './ended-pod.ts'
import type { EndedPod } from './ended-pod.ts'
import { openSpool } from './spool.ts'
import type { SpoolOptions } from './spool.ts'

let folder: string
let lines: (readonly [string, LogFields])[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-spool-'))
  lines = []
})
afterEach(() => rm(folder, { recursive: true }))

const note = (message: string, fields: LogFields = {}): void => void lines.push([message, fields])
const log = { debug: note, info: note, warn: note, error: note }
const said = (): readonly string[] => lines.map(([message]) => message)

function pod(uid: string, more: Partial<EndedPod> = {}): EndedPod {
  const logs = [{ container: 'runner', previous: false, text: `of ${uid}, “quoted”\n`, cut: false }]
  const counters = [
    { container: 'runner', files: new Map([['memory.failcnt', '3\n']]), readAt: NOON_MS },
    { container: null, files: new Map([['memory.failcnt', '4\n']]) },
  ]
  return { uid, keptAt: NOON_MS, logs, counters, ...more }
}

const open = (more: Partial<SpoolOptions> = {}) => openSpool({ folder, clock: createHandClock(), log, ...more })

describe('the spool of ended pods', () => {
  it('has them again after a restart, and not after they are removed', async () => {
    const first = await open()
    await first.put(pod('a'))
    await first.put(pod('b'))
    await first.put(pod('a', { logs: [] }))
    const second = await open()
    expect(second.size().pods).toBe(2)
    expect(await second.read('a')).toEqual(pod('a', { logs: [] }))
    expect(await second.read('b')).toEqual(pod('b'))
    await second.remove('a')
    await second.remove('b')
    expect(second.size()).toMatchObject({ pods: 0, bytes: 0 })
    expect([await second.read('a'), await readdir(folder)]).toEqual([null, []])
  })

  it('skips a file that is cut, at whatever byte, says so, and starts', async () => {
    const whole = writeEndedPod(pod('cut'))
    const places = sampled(
      Array.from({ length: whole.length }, (_, index) => index),
      7,
    )
    await (await open()).put(pod('kept'))
    for (const place of places) {
      expect(readEndedPod(whole.subarray(0, place))).toBeNull()
      lines = []
      await writeFile(join(folder, 'cut.pod'), whole.subarray(0, place))
      const spool = await open()
      expect([await spool.read('cut'), spool.size().pods]).toEqual([null, 1])
      expect(said()).toContain('an ended pod in the --state folder is not whole; removing it')
    }
    expect(readEndedPod(whole)).toEqual(pod('cut'))
    expect(await readdir(folder)).toEqual(['kept.pod'])
  })

  it('skips a file in which a byte has changed, one of another pod, and what is no pod', async () => {
    const whole = writeEndedPod(pod('a'))
    for (const place of sampled(
      Array.from({ length: whole.length }, (_, index) => index),
      5,
    )) {
      const changed = Buffer.from(whole)
      changed[place] = (changed[place] ?? 0) ^ 0x20
      expect(readEndedPod(changed)).toBeNull()
    }
    await writeFile(join(folder, 'b.pod'), whole)
    await writeFile(join(folder, 'c.pod'), Buffer.alloc(17 * 1024 * 1024))
    await writeFile(join(folder, 'a.0123.draft'), 'x')
    await mkdir(join(folder, 'd.pod'))
    await mkdir(join(folder, 'lost+found'))
    expect((await open()).size().pods).toBe(0)
    expect((await readdir(folder)).toSorted()).toEqual(['d.pod', 'lost+found'])
  })

  it('holds them in memory without a folder, and says once that they end with the agent', async () => {
    const spool = await open({ folder: null })
    await spool.put(pod('a'))
    expect(await spool.read('a')).toEqual(pod('a'))
    expect(said()).toEqual(['no --state folder: logs of ended pods are kept in memory and end with the agent'])
  })

  it('holds them in memory where the folder cannot be written, and says so once', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const spool = await open({ folder: file })
    await spool.put(pod('a'))
    await spool.put(pod('b'))
    expect(await spool.read('a')).toEqual(pod('a'))
    expect([spool.size().pods, spool.safe()]).toEqual([2, { pods: 0, bytes: 0, held: 0 }])
    expect(said()).toEqual([
      'cannot read the --state folder: logs of ended pods are kept in memory',
      'cannot write to the --state folder: logs of ended pods are kept in memory',
    ])
  })

  it('writes no file outside its folder, whatever a pod is called', async () => {
    const spool = await open()
    await spool.put(pod('../escaped'))
    expect(await spool.read('../escaped')).toEqual(pod('../escaped'))
    expect(await readdir(folder)).toEqual([])
    await expect(readFile(join(folder, '..', 'escaped.pod'))).rejects.toThrow('ENOENT')
    await spool.remove('../escaped')
    expect(spool.size().pods).toBe(0)
  })

  it.each([
    ['in number', { pods: 2 }],
    ['in bytes', { bytes: 2 * writeEndedPod(pod('a')).length }],
  ])('is bounded %s: the oldest go first, with a line in the log', async (_, limits) => {
    const spool = await open({ limits })
    for (const uid of ['a', 'b', 'c']) await spool.put(pod(uid))
    expect([await spool.read('a'), (await spool.read('b'))?.uid]).toEqual([null, 'b'])
    expect(lines).toEqual([
      ['dropping the logs of an ended pod that the server has not stored', { uid: 'a', why: 'no room' }],
    ])
  })

  it('keeps them for a day', async () => {
    const clock = createHandClock()
    const spool = await open({ clock })
    await spool.put(pod('a', { keptAt: clock.now() }))
    clock.advance(24 * 3_600_000)
    await spool.expire()
    expect(spool.size().pods).toBe(1)
    clock.advance(1)
    await spool.expire()
    expect(await readdir(folder)).toEqual([])
  })

  it('is empty after a pod was stored while it was written', async () => {
    const spool = await open()
    await Promise.all([spool.put(pod('a')), spool.remove('a')])
    expect([spool.size().pods, await readdir(folder)]).toEqual([0, []])
  })
})
