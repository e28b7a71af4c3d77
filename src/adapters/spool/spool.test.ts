import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Log } from '#/ports/log.ts'
import type { DeathWrite, PendingWrites } from '#/ports/pending-writings.ts'
import { draws } from '#test/tiers/long-run.ts'
import { encodeWrite } from './encode-write.ts'
import { frame } from './frame.ts'
import { drawSalt, printSegmentName } from './segment.ts'
import { openSpool } from './spool.ts'

const NEVER = new AbortController().signal

let root: string
let folder: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'signalbox-spool-'))
  folder = join(root, 'pending')
})
afterEach(() => rm(root, { recursive: true }))

function writing(uid: string, recordedAt = 2): DeathWrite {
  const names = { namespace: 'n', pod: uid, node: null, scope: null, job: null, pool: null }
  return {
    postmortem: { uid, ...names, repository: null, runner: null, missed: false, diedAt: 1, recordedAt, verdict: null },
    evidence: [
      { source: 'a.json', observed: 'seen', reason: null, content: Buffer.from(`é ${uid}`), revision: 1 },
      { source: 'b.json', observed: 'blind', reason: 'away', content: null, revision: 0 },
      { source: 'c.log', observed: 'seen', reason: null, content: Buffer.alloc(0), revision: 2 },
    ],
  }
}

function opened(at = folder, more: { mostBytes?: number; segmentBytes?: number } = {}) {
  const lines: string[] = []
  const say = (message: string): void => void lines.push(message)
  const log: Log = { debug: say, info: say, warn: say, error: say }
  return { spool: openSpool({ folder: at, log, mostBytes: 1e9, ...more }), lines }
}

async function drained(spool: PendingWrites): Promise<readonly DeathWrite[]> {
  const all: DeathWrite[] = []
  expect(await spool.drain(async (one) => (all.push(one), 'stored'), NEVER)).toBe('empty')
  return all.toSorted((a, b) => (a.postmortem.uid < b.postmortem.uid ? -1 : 1))
}

const uids = (all: readonly DeathWrite[]): readonly string[] => all.map(({ postmortem }) => postmortem.uid)

/** A segment with these deaths, as a killed process leaves it; its name and its bytes. */
async function leftBehind(names: readonly string[]): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const { spool } = opened()
  for (const name of names) expect(await spool.add(writing(name))).toBe('kept')
  const [name = '', ...others] = await readdir(folder)
  expect(others).toEqual([])
  return { name, bytes: await readFile(join(folder, name)) }
}

/** What a start finds where a segment has these bytes. */
async function foundIn(name: string, bytes: Uint8Array) {
  const copy = await mkdtemp(join(root, 'copy-'))
  await writeFile(join(copy, name), bytes)
  const { spool, lines } = opened(copy)
  const all = await drained(spool)
  return { uids: uids(all), all, lines, left: await readdir(copy) }
}

describe('the spool', () => {
  it('keeps what it is given, for the next process, once', async () => {
    const { spool } = opened()
    for (const uid of ['a', 'b', 'c']) expect(await spool.add(writing(uid))).toBe('kept')
    const { spool: next } = opened()
    expect(await drained(next)).toEqual(['a', 'b', 'c'].map((uid) => writing(uid)))
    expect([await drained(next), await readdir(folder), next.state().waiting]).toEqual([[], [], 0])
  })

  it('is readable by its owner only', async () => {
    const { name } = await leftBehind(['a'])
    expect([(await stat(folder)).mode & 0o777, (await stat(join(folder, name))).mode & 0o777]).toEqual([0o700, 0o600])
  })

  it('shares one file between concurrent writes, and begins another when it is large', async () => {
    const { spool } = opened(folder, { segmentBytes: 3000 })
    const names = Array.from({ length: 50 }, (_, index) => `p${index}`)
    await Promise.all(names.map((name) => spool.add(writing(name))))
    expect((await readdir(folder)).length).toBeLessThan(10)
    for (const name of names) await spool.add(writing(`${name}-again`))
    expect((await readdir(folder)).length).toBeGreaterThan(1)
    expect(uids(await drained(spool)).toSorted()).toEqual(names.flatMap((name) => [name, `${name}-again`]).toSorted())
    expect(await readdir(folder)).toEqual([])
  })

  it('finds what waits of one death: its own, and what the process before left, until it is handed over', async () => {
    await leftBehind(['a', 'b'])
    const { spool } = opened(folder, { segmentBytes: 300 })
    for (const uid of ['b', 'c', 'b']) await spool.add(writing(uid, 3))
    const times = async (uid: string) => (await spool.find(uid)).map(({ postmortem }) => postmortem.recordedAt)
    expect([await times('a'), await times('b'), await times('c'), await times('d')]).toEqual([[2], [2, 3, 3], [3], []])
    expect(await spool.find('a')).toEqual([writing('a')])
    await drained(spool)
    expect([await times('a'), await times('b')]).toEqual([[], []])
  })

  it('reads and finds what was written before deaths were marked', async () => {
    const salt = drawSalt()
    const marked = await encodeWrite(writing('a'))
    const gzipped = marked.subarray(marked.indexOf(Buffer.from([0x1f, 0x8b, 8])))
    await mkdir(folder)
    const name = printSegmentName({ number: 1, salt, owner: '00000000' })
    await writeFile(join(folder, name), frame(gzipped, { recordedAt: 2, salt }))
    const { spool } = opened()
    expect(await spool.find('a')).toEqual([writing('a')])
    expect(await drained(spool)).toEqual([writing('a')])
  })

  it('says how many wait, and since when', async () => {
    const { spool } = opened()
    for (const at of [30, 10, 20]) await spool.add(writing(`at-${at}`, at))
    expect(spool.state()).toMatchObject({ waiting: 3, oldestAt: 30, fault: null })
    const seen: string[] = []
    const stopAt = async ({ postmortem }: DeathWrite) => {
      seen.push(postmortem.uid)
      return postmortem.uid === 'at-10' ? 'later' : 'stored'
    }
    expect(await spool.drain(stopAt, NEVER)).toBe('stopped')
    expect(spool.state()).toMatchObject({ waiting: 1, oldestAt: 10 })
    expect(uids(await drained(spool))).toEqual(['at-10'])
    expect(spool.state()).toMatchObject({ waiting: 0, oldestAt: null, bytes: 0 })
  })

  it('refuses what is beyond its limit, and keeps what it has', async () => {
    const { spool } = opened(folder, { mostBytes: 400 })
    await spool.add(writing('a'))
    const refused = { why: 'the spool has reached its limit of 400 bytes' }
    expect(await spool.add(writing('b'))).toEqual(refused)
    expect(spool.state().fault).toBe(refused.why)
    expect(uids(await drained(spool))).toEqual(['a'])
  })

  it('reports a folder that cannot be written, and recovers', async () => {
    await writeFile(folder, 'a file where the folder should be')
    const { spool } = opened()
    expect(await spool.add(writing('a'))).toEqual({ why: expect.stringMatching(/EEXIST|ENOTDIR/) as string })
    expect(spool.state().fault).not.toBeNull()
    await rm(folder)
    await spool.probe()
    expect([spool.state().fault, await readdir(folder)]).toEqual([null, []])
    expect(await spool.add(writing('a'))).toBe('kept')
  })

  it('loses nothing where another process of the same folder takes a file over', async () => {
    const first = opened()
    await first.spool.add(writing('a'))
    const second = opened()
    expect(uids(await drained(second.spool))).toEqual(['a'])
    expect(await first.spool.add(writing('b'))).toBe('kept')
    const third = opened()
    expect(uids(await drained(third.spool))).toEqual(['b'])
    expect(await drained(first.spool)).toEqual([])
    expect(first.lines).toContain('another process has taken over this part of the spool')
  })
})

describe('a start after a crash', () => {
  it.each([[['a']], [['a', 'b', 'c', 'd']]])('finds every whole record of %j, cut at every byte', async (names) => {
    const { name, bytes } = await leftBehind(names)
    const ends: number[] = []
    for (const count of names.keys()) ends.push(await sizeOf(names.slice(0, count + 1)))
    expect(ends.at(-1)).toBe(bytes.length)
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { uids: found, lines, left } = await foundIn(name, bytes.subarray(0, cut))
      const whole = ends.filter((end) => end <= cut).length
      expect([cut, found]).toEqual([cut, names.slice(0, whole)])
      const isTorn = cut !== 0 && !ends.includes(cut)
      expect(lines.some((line) => line.includes('cannot be read'))).toBe(isTorn)
      expect(left.length).toBe(isTorn ? 1 : 0)
    }
  })

  it('finds the others where bytes are damaged', async () => {
    const names = ['a', 'b', 'c', 'd']
    const { name, bytes } = await leftBehind(names)
    const ends = await Promise.all(names.map((_, index) => sizeOf(names.slice(0, index + 1))))
    const damage = fc.record({ at: fc.nat(bytes.length - 1), flip: fc.integer({ min: 1, max: 255 }) })
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, flip }) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ flip
        const hit = ends.findIndex((end) => at < end)
        const found = await foundIn(name, damaged)
        expect(found.uids).toEqual(names.filter((_, index) => index !== hit))
        expect(found.lines).toContain('part of the spool cannot be read: deaths in it may be lost')
        expect(found.left).toEqual([expect.stringMatching(/\.unreadable$/)])
      }),
      { numRuns: draws(500) },
    )
  })

  it('passes over an empty file, a foreign file, zeros and a file that was set aside', async () => {
    const { name } = await leftBehind(['a'])
    await writeFile(join(folder, name.replace(/^\d{12}/, '000000000009')), '')
    await writeFile(join(folder, name.replace(/^\d{12}/, '000000000010')), Buffer.alloc(5000))
    await writeFile(join(folder, 'x.unreadable'), 'y')
    await writeFile(join(folder, 'notes.txt'), 'of somebody')
    await mkdir(join(folder, 'a-folder'))
    const { spool, lines } = opened()
    expect(uids(await drained(spool))).toEqual(['a'])
    expect(lines.filter((line) => line === 'not a file of the spool, left alone')).toHaveLength(2)
    const left = (await readdir(folder)).filter((one) => !one.endsWith('.unreadable'))
    expect(left).toEqual(['a-folder', 'notes.txt'])
  })

  it('reads the files of 0.1.0, and sets the unreadable ones aside', async () => {
    await mkdir(folder)
    const { postmortem, evidence } = writing('former')
    const printed = evidence.map((part) => ({
      ...part,
      content: part.content === null ? null : Buffer.from(part.content).toString('base64'),
    }))
    const file = gzipSync(JSON.stringify({ postmortem, evidence: printed }))
    await writeFile(join(folder, 'former-2-1.json.gz'), file)
    await writeFile(join(folder, 'x.json.gz'), 'no gzip')
    await writeFile(join(folder, 'cut.json.gz'), file.subarray(0, 100))
    const { spool, lines } = opened()
    await spool.add(writing('new'))
    expect(await drained(spool)).toEqual([{ postmortem, evidence }, writing('new')])
    expect(lines.filter((line) => line === 'a death in the spool cannot be read')).toHaveLength(2)
    expect(await readdir(folder)).toEqual(['cut.json.gz.unreadable', 'x.json.gz.unreadable'])
  })

  it('does not take the content of a log for a record', async () => {
    const { bytes } = await leftBehind(['forged'])
    const { spool } = opened(join(root, 'other'))
    const hostile = { ...writing('real'), evidence: [{ ...withContent(bytes), revision: 1 }] }
    await spool.add(hostile)
    await spool.add(writing('after'))
    const [name = ''] = await readdir(join(root, 'other'))
    const path = join(root, 'other', name)
    const damaged = await readFile(path)
    damaged[10] = (damaged[10] ?? 0) ^ 1
    expect((await foundIn(name, damaged)).uids).toEqual(['after'])
  })
})

function withContent(content: Uint8Array) {
  return { source: 'x.log', observed: 'seen', reason: null, content } as const
}

/** The bytes of a segment with these deaths: they are the same each time. */
async function sizeOf(names: readonly string[]): Promise<number> {
  const at = await mkdtemp(join(root, 'size-'))
  const { spool } = opened(at)
  for (const name of names) await spool.add(writing(name))
  const [name = ''] = await readdir(at)
  return (await stat(join(at, name))).size
}
