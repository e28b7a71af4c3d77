import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { openSpool } from '#/adapters/spool/spool.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Log } from '#/ports/log.ts'
import type { PendingWrites, DeathWrite } from '#/ports/pending-writings.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createOutbox } from './outbox.ts'
import type { Outbox } from './outbox.ts'

const PATIENCE = { timeout: 30_000 }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-pending-'))
})
afterEach(() => rm(folder, { recursive: true }))

const VERDICT = { cause: 'oom-container', kind: 'death', confidence: 0.9, rules: '1', judgedAt: 1, document: {} }

function writing(uid: string): DeathWrite {
  const names = {
    namespace: 'n',
    pod: uid,
    node: null,
    scope: null,
    job: null,
    pool: null,
    repository: null,
    runner: null,
  }
  return {
    postmortem: { uid, ...names, missed: false, diedAt: 1, recordedAt: 2, verdict: VERDICT },
    evidence: [{ source: 'a.json', observed: 'seen', reason: null, content: Buffer.from('évidence'), revision: 1 }],
  }
}

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const spoolHere = (): PendingWrites => openSpool({ folder, log: SILENT, mostBytes: 1e9 })
/** A disk on which nothing has room until a test says so. */
function fullDisk(): { readonly spool: PendingWrites; readonly disk: { isFull: boolean } } {
  const real = spoolHere()
  const disk = { isFull: true }
  const add: PendingWrites['add'] = async (given) => (disk.isFull ? { why: 'ENOSPC' } : real.add(given))
  return { spool: { ...real, add }, disk }
}

function outboxOn(spool: PendingWrites, mostBytes = 1e9) {
  const store = memoryStore()
  const state = { isAway: true, isSilent: false }
  const errors: string[] = []
  const say = (message: string): void => void errors.push(message)
  const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: say }
  const record: typeof store.deaths.record = async (...row) => {
    if (state.isAway) throw new StoreUnavailable('away')
    if (state.isSilent) await new Promise(() => {})
    if (row[0].uid === 'bad') throw new Error('refused')
    await store.deaths.record(...row)
  }
  const metrics = createMetrics()
  const outbox = createOutbox({ deaths: { record }, spool, clock: systemClock, log, metrics, mostBytes })
  return { outbox, store, state, errors, metrics }
}

/** While the outbox runs. */
async function running<T>({ run }: Pick<Outbox, 'run'>, use: () => Promise<T>): Promise<T> {
  const over = new AbortController()
  const done = run(over.signal)
  try {
    return await use()
  } finally {
    over.abort()
    await done
  }
}

const uids = async (store: ReturnType<typeof memoryStore>): Promise<readonly string[]> =>
  (await store.deaths.list({ limit: 10 })).map(({ uid }) => uid).toSorted()
const become = (store: ReturnType<typeof memoryStore>, expected: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await uids(store)).toEqual(expected), PATIENCE)

describe('a death', () => {
  it('is in the store at once where it answers, and not on disk', async () => {
    const { outbox, store, state } = outboxOn(spoolHere())
    state.isAway = false
    await outbox.put(writing('a'))
    expect(await uids(store)).toEqual(['a'])
    expect(await readdir(folder)).toEqual([])
  })

  it.each([['isAway'], ['isSilent']] as const)('is on disk before it is reported where the store %s', async (how) => {
    const { outbox, state } = outboxOn(spoolHere())
    Object.assign(state, { isAway: false, [how]: true })
    for (const uid of ['a', 'b', 'c']) await outbox.put(writing(uid))
    expect(outbox.waiting()).toBe(0)
    // As if the process had been killed here.
    const next = outboxOn(spoolHere())
    next.state.isAway = false
    await running(next.outbox, () => become(next.store, ['a', 'b', 'c']))
    const stored = await next.store.deaths.get('c')
    expect(Buffer.from(stored?.evidence[0]?.content ?? []).toString()).toBe('évidence')
    expect(stored?.death.verdict?.cause).toBe('oom-container')
    expect(await readdir(folder)).toEqual([])
  })

  it('is not reported while neither the store nor the disk takes it, and readiness says so', async () => {
    const { spool, disk } = fullDisk()
    const { outbox, errors, store } = outboxOn(spool)
    let isSafe = false
    const put = outbox.put(writing('a')).then(() => (isSafe = true))
    await running(outbox, async () => {
      await vi.waitFor(() => expect(outbox.waiting()).toBe(1), PATIENCE)
      expect(await outbox.condition()).toMatchObject({ kind: 'full' })
      expect([isSafe, errors]).toEqual([false, ['deaths wait in memory: store unavailable, spool full']])
      disk.isFull = false
      await put
    })
    expect([isSafe, outbox.waiting(), await uids(store)]).toEqual([true, 0, []])
    expect(spool.state().waiting).toBe(1)
    expect(await outbox.condition()).toEqual({ kind: 'ok' })
  })

  it('is refused where memory has no room either, or when the process stops', async () => {
    const { outbox, errors } = outboxOn(fullDisk().spool, 3000)
    const first = outbox.put(writing('a'))
    await expect(outbox.put(writing('b'))).rejects.toThrow('no room for a death')
    await Promise.all([expect(first).rejects.toThrow('stopped'), outbox.run(AbortSignal.abort())])
    expect(errors.at(-1)).toBe('death not recorded: stopped while store and spool could not take it')
  })

  it('that the store rejects is not reported, and blocks no other', async () => {
    const { outbox, store, state, errors } = outboxOn(spoolHere())
    await outbox.put(writing('bad'))
    state.isAway = false
    await running(outbox, () => vi.waitFor(() => expect(errors).toEqual(['store rejected a death']), PATIENCE))
    expect((await readdir(folder)).map((name) => name.split('.').at(-1))).toEqual(['unreadable'])
    await expect(outbox.put(writing('bad'))).rejects.toThrow('rejected')
    await outbox.put(writing('good'))
    expect(await uids(store)).toEqual(['good'])
  })
})

describe('the metrics of the outbox', () => {
  it('count what waits on disk, and its age', async () => {
    const { outbox, store, state, metrics } = outboxOn(spoolHere())
    await outbox.put(writing('a'))
    await running(outbox, async () => {
      await vi.waitFor(() => expect(metrics.expose()).toContain('signalbox_spool_deaths_waiting 1\n'), PATIENCE)
      expect(metrics.expose()).toMatch(/signalbox_spool_oldest_seconds [1-9]/)
      expect(metrics.expose()).toMatch(/signalbox_spool_free_bytes [1-9]/)
      state.isAway = false
      await become(store, ['a'])
      await vi.waitFor(() => expect(metrics.expose()).toContain('signalbox_spool_deaths_waiting 0\n'), PATIENCE)
    })
  })
})
