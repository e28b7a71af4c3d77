import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pendingFolder } from '#/adapters/files/pending-folder.ts'
import { systemClock } from '#/adapters/clock.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Log } from '#/ports/log.ts'
import type { PendingWrites, DeathWrite } from '#/ports/pending-writings.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { createOutbox } from './outbox.ts'

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

function outboxOn(pending: PendingWrites, mostBytes: number) {
  const store = memoryStore()
  const state = { isAway: true }
  const errors: string[] = []
  const say = (message: string): void => void errors.push(message)
  const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: say }
  const record: typeof store.deaths.record = async (...row) => {
    if (state.isAway) throw new StoreUnavailable('away')
    if (row[0].uid === 'bad') throw new Error('refused')
    await store.deaths.record(...row)
  }
  const deaths = { ...store.deaths, record }
  const limits = { mostBytes, mostDiskBytes: 1e9 }
  return {
    outbox: createOutbox({ deaths, folder: pending, clock: systemClock, log, ...limits }),
    store,
    state,
    errors,
  }
}

const uids = async (store: ReturnType<typeof memoryStore>): Promise<readonly string[]> =>
  (await store.deaths.list({ limit: 10 })).map(({ uid }) => uid).toSorted()

describe('what waits for the store', () => {
  it('is in memory, then on disk, and is written with its evidence when the store is back', async () => {
    const { outbox, store, state } = outboxOn(pendingFolder(folder), 3000)
    const over = new AbortController()
    for (const uid of ['a', 'b', 'c']) await outbox.put(writing(uid))
    expect([outbox.waiting(), (await pendingFolder(folder).names()).length]).toEqual([1, 2])
    state.isAway = false
    const done = outbox.run(over.signal)
    await vi.waitFor(async () => expect(await uids(store)).toEqual(['a', 'b', 'c']), PATIENCE)
    const stored = await store.deaths.get('c')
    expect(Buffer.from(stored?.evidence[0]?.content ?? []).toString()).toBe('évidence')
    expect(stored?.death.verdict?.cause).toBe('oom-container')
    over.abort()
    await done
    expect(await pendingFolder(folder).names()).toEqual([])
  })

  it('survives the process', async () => {
    const first = outboxOn(pendingFolder(folder), 1e9)
    await first.outbox.put(writing('a'))
    const over = new AbortController()
    over.abort()
    await first.outbox.run(over.signal)
    const second = outboxOn(pendingFolder(folder), 1e9)
    second.state.isAway = false
    const later = new AbortController()
    const done = second.outbox.run(later.signal)
    await vi.waitFor(async () => expect(await uids(second.store)).toEqual(['a']), PATIENCE)
    later.abort()
    await done
  })

  it('passes what waits to the next run, also where the disk is full', async () => {
    const pending: PendingWrites = { ...pendingFolder(folder), add: async () => ({ why: 'ENOSPC' }) }
    const first = outboxOn(pending, 1e9)
    await first.outbox.put(writing('a'))
    await first.outbox.run(AbortSignal.abort())
    expect(first.errors).toEqual(['death kept in memory only: cannot write it to the store or to disk'])
    const second = outboxOn(pending, 1e9)
    second.state.isAway = false
    const over = new AbortController()
    const running = second.outbox.run(over.signal)
    await vi.waitFor(async () => expect(await uids(second.store)).toEqual(['a']), PATIENCE)
    await vi.waitFor(async () => expect(await pending.names()).toEqual([]), PATIENCE)
    over.abort()
    await running
  })

  it('keeps the row where the disk is full, and says that the evidence is lost', async () => {
    const full: PendingWrites = { ...pendingFolder(folder), add: async () => ({ why: 'ENOSPC' }) }
    const { outbox, store, state, errors } = outboxOn(full, 0)
    await outbox.put(writing('a'))
    expect(errors).toHaveLength(1)
    state.isAway = false
    const over = new AbortController()
    const done = outbox.run(over.signal)
    await vi.waitFor(async () => expect(await uids(store)).toEqual(['a']), PATIENCE)
    over.abort()
    await done
    expect((await store.deaths.get('a'))?.evidence).toMatchObject([{ observed: 'blind', content: null }])
  })

  it('does not block the others where the store rejects one', async () => {
    const { outbox, store, state, errors } = outboxOn(pendingFolder(folder), 1e9)
    state.isAway = false
    await outbox.put(writing('bad'))
    await outbox.put(writing('good'))
    expect([await uids(store), errors.length]).toEqual([['good'], 1])
  })

  it('sets a file aside that it cannot read', async () => {
    await writeFile(join(folder, 'x.json.gz'), 'no gzip')
    const pending = pendingFolder(folder)
    expect(await pending.read('x.json.gz')).toBeNull()
    expect(await pending.names()).toEqual([])
  })

  it('continues where the file of a stored death cannot be removed', async () => {
    const pending = pendingFolder(folder)
    await pending.add(writing('a'))
    const remove = async (): Promise<void> => {
      throw new Error('EROFS: read-only file system')
    }
    const { outbox, store, state, errors } = outboxOn({ ...pending, remove }, 1e6)
    state.isAway = false
    const stop = new AbortController()
    const done = outbox.run(stop.signal)
    await vi.waitFor(() => expect(errors).toHaveLength(1), PATIENCE)
    await outbox.put(writing('b'))
    stop.abort()
    await done
    expect(await uids(store)).toEqual(['a', 'b'])
  })
})
