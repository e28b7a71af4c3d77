import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { MisbehavingTasks } from '#test/workers/misbehaving-thread.ts'
import type { Parcel } from './parcel.ts'
import { openThreadPool } from './thread-pool.ts'
import type { PoolOptions, ThreadPool } from './thread-pool.ts'

const entry = pathToFileURL(resolve(import.meta.dirname, '../../../test/workers/misbehaving-thread.ts'))
const PATIENT = 150_000
const HASTY = 50

const opened: ThreadPool<MisbehavingTasks>[] = []
afterEach(async () => {
  for (const pool of opened.splice(0)) await pool[Symbol.asyncDispose]()
})

function open(more: Partial<PoolOptions> = {}): ThreadPool<MisbehavingTasks> {
  const pool = openThreadPool<MisbehavingTasks>({ entry, size: 2, memoryMb: 64, ...more })
  opened.push(pool)
  return pool
}

const nothing = <T>(): Parcel<T> => ({ value: undefined as T, transfer: [] })
const patient = (key: string) => ({ key, withinMs: PATIENT })

function echo(pool: ThreadPool<MisbehavingTasks>, key: string, text = 'hello') {
  const content = new TextEncoder().encode(text)
  return pool.run('echo', () => ({ value: content, transfer: [content.buffer] }), patient(key))
}

/** Holds threads until it is opened, and counts those that it holds. */
function createGate() {
  const gate = new Int32Array(new SharedArrayBuffer(8))
  return {
    input: () => ({ value: gate, transfer: [] }),
    held: () => Atomics.load(gate, 1),
    open: () => {
      Atomics.store(gate, 0, 1)
      Atomics.notify(gate, 0)
    },
  }
}

const untilHeld = (gate: ReturnType<typeof createGate>, count: number) =>
  vi.waitFor(() => expect(gate.held()).toBe(count), { timeout: PATIENT })

describe('a pool of threads', () => {
  it('moves bytes to a thread and back', async () => {
    const pool = open()
    const content = new TextEncoder().encode('hello')
    const outcome = await pool.run('echo', () => ({ value: content, transfer: [content.buffer] }), patient('a'))
    expect(outcome).toEqual({ kind: 'done', value: new TextEncoder().encode('hello') })
    expect(content.byteLength).toBe(0)
  })

  it('ends a task that takes too long, and loses no other', async () => {
    const pool = open()
    const gate = createGate()
    const beside = pool.run('hold', gate.input, patient('b'))
    await untilHeld(gate, 1)
    const spun = pool.run('spin', nothing, { key: 'a', withinMs: HASTY })
    const behind = echo(pool, 'a')
    expect(await spun).toEqual({ kind: 'too-costly', why: 'it took longer than 0.05 s' })
    expect(await behind).toMatchObject({ kind: 'done' })
    gate.open()
    expect(await beside).toEqual({ kind: 'done', value: 'held' })
  })

  it('ends a task that takes too much memory, and goes on', async () => {
    const pool = open()
    const hoarded = pool.run('hoard', nothing, patient('a'))
    expect(await hoarded).toEqual({ kind: 'too-costly', why: 'it needed more than 64 MB of memory' })
    expect(await echo(pool, 'a')).toMatchObject({ kind: 'done' })
  })

  it.each([
    ['refuse', 'not like this'],
    ['overflow', 'Maximum call stack size exceeded'],
    ['unsendable', 'could not be cloned'],
    ['exit', 'the thread exited with 3'],
  ] as const)('reports a task that fails: %s', async (task, why) => {
    const pool = open()
    const outcome = await pool.run(task, nothing, patient('a'))
    expect(outcome).toEqual({ kind: 'failed', why: expect.stringContaining(why) as string })
    expect(await echo(pool, 'a')).toMatchObject({ kind: 'done' })
  })

  it('reports what cannot be sent to a thread', async () => {
    const pool = open()
    const input = () => ({ value: (() => {}) as never, transfer: [] })
    expect(await pool.run('echo', input, patient('a'))).toMatchObject({ kind: 'failed' })
    expect(await echo(pool, 'a')).toMatchObject({ kind: 'done' })
  })

  it('gives no key every thread: fifty tasks of one node do not delay another', async () => {
    const pool = open()
    const gate = createGate()
    const hostile = Array.from({ length: 50 }, () => pool.run('hold', gate.input, patient('hostile')))
    await untilHeld(gate, 1)
    for (const key of ['quiet', 'other', 'quiet']) expect(await echo(pool, key)).toMatchObject({ kind: 'done' })
    expect(gate.held()).toBe(1)
    gate.open()
    expect(await Promise.all(hostile)).toHaveLength(50)
  })

  it('lets an aborted task leave the queue', async () => {
    const pool = open({ size: 1 })
    const gate = createGate()
    const first = pool.run('hold', gate.input, patient('a'))
    await untilHeld(gate, 1)
    const stop = new AbortController()
    const second = pool.run('hold', gate.input, { ...patient('a'), signal: stop.signal })
    stop.abort(new Error('the caller is gone'))
    await expect(second).rejects.toThrow('the caller is gone')
    gate.open()
    await first
    expect(gate.held()).toBe(1)
  })

  it('ends an aborted task that does not end by itself', async () => {
    const pool = open({ size: 1 })
    const gate = createGate()
    const stop = new AbortController()
    const running = pool.run('hold', gate.input, { ...patient('a'), signal: stop.signal })
    await untilHeld(gate, 1)
    stop.abort(new Error('the caller is gone'))
    await expect(running).rejects.toThrow('the caller is gone')
    expect(await echo(pool, 'a')).toMatchObject({ kind: 'done' })
  })

  it('stops what runs and what waits when it is closed, and takes no more', async () => {
    const endings: string[] = []
    const pool = open({ size: 1, ended: (task, ending) => endings.push(`${task} ${ending}`) })
    const gate = createGate()
    const all = [1, 2].map(() => pool.run('hold', gate.input, patient('a')))
    const ends = Promise.allSettled(all)
    await untilHeld(gate, 1)
    await pool[Symbol.asyncDispose]()
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(echo(pool, 'a')).rejects.toThrow('the server is stopping')
    expect(endings).toEqual(['hold stopped', 'hold stopped'])
  })

  it('reports how many tasks wait', async () => {
    const counts: number[] = []
    const pool = open({ size: 1, waiting: (_, count) => counts.push(count) })
    await Promise.all([echo(pool, 'a'), echo(pool, 'a'), echo(pool, 'b')])
    expect(counts.at(-1)).toBe(0)
    expect(Math.max(...counts)).toBe(2)
  })
})
