import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openSpool } from '#/adapters/spool/spool.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { GitHub } from '#/ports/github.ts'
import type { Log } from '#/ports/log.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Store } from '#/ports/store/store.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { storedParts } from '#test/recorder/start-recorder.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'
import { runOrThrow } from '#test/cluster/command.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import { hasRootFor } from '#test/postgres/has-root-for.ts'

const cleanups: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function start(
  plan: Omit<Parameters<typeof startRecorder>[0], 'kubernetes'>,
): RunningRecorder & { cluster: FakeCluster } {
  const cluster = fakeCluster()
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, ...plan })
  cleanups.push(recorder.stop)
  cluster.events(listed([]))
  return { ...recorder, cluster }
}

const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 50_000, interval: 20 })
const oom = (name: string) => {
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  return runnerPod({ name, phase: 'Failed', state: { terminated } })
}

describe('GitHub with failing answers', () => {
  it.each([
    [403, /^(?:forbidden|unauthenticated|rate-limited): /],
    [429, /^rate-limited: /],
    [502, /^(?:server-error|unreachable): /],
  ])('with %i loses no death: the job is blind, with the reason', async (status, reason) => {
    await using world = await startGitHubWorld()
    world.sim.faults.add({ fault: { kind: 'answer', status }, times: 10_000 })
    const github: GitHub = world.github
    const started = start({ github, repositories: ['acme/api'] })
    started.cluster.pods(listed([runnerPod({ name: 'a' })]))
    started.cluster.pods({ kind: 'modified', object: oom('a') })
    await waitFor(() => expect(started.deaths).toHaveLength(1))
    expect(started.deaths[0]).toMatchObject({ cause: 'oom-container', job: null })
    const parts = await storedParts(started.store, 'uid-a')
    expect(parts.get('github/jobs')).toMatch(reason)
    expect(world.requests.length).toBeGreaterThan(0)
    expect(started.lines.filter(([message]) => message === 'cannot record or judge a death')).toEqual([])
    world.sim.faults.clear()
    // The retries that were asked to wait come now.
    world.clock.advance(7 * 86_400_000)
    started.cluster.pods({ kind: 'added', object: oom('b') })
    await waitFor(() => expect(started.deaths).toHaveLength(2))
    const after = await storedParts(started.store, 'uid-b')
    expect([after.get('github/queued-jobs'), after.get('github/queued-jobs.json')]).toEqual([undefined, '[]\n'])
  })
})

/** A store that is unavailable until a test restores it. */
function awayStore(): { readonly store: Store; readonly comeBack: () => void; readonly real: Store } {
  const real = memoryStore()
  let isAway = true
  const record: Store['deaths']['record'] = async (...row) => {
    if (isAway) throw new StoreUnavailable('restarting')
    await real.deaths.record(...row)
  }
  const comeBack = (): void => {
    isAway = false
  }
  return { store: { ...real, deaths: { ...real.deaths, record } }, comeBack, real }
}

const DISK_BYTES = 64 * 1024

/** A disk so small that two deaths fill it. */
async function smallDisk(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-small-disk-'))
  cleanups.push(() => rm(folder, { recursive: true }))
  const disk = join(folder, 'disk')
  await mkdir(disk)
  await runOrThrow('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk])
  cleanups.push(() => runOrThrow('umount', [disk]))
  return disk
}

describe.runIf(hasRootFor('a data folder on a disk that is full'))('a data folder on a disk that is full', () => {
  it('reports nothing that is not safe, and everything with its evidence when the store is back', async () => {
    const disk = await smallDisk()
    const { store, comeBack, real } = awayStore()
    const folder = join(disk, 'pending')
    const spool = openSpool({ folder, log: SILENT, mostBytes: 1e9 })
    const started = start({ store, spool })
    await writeFile(join(disk, 'of-somebody-else'), Buffer.alloc(DISK_BYTES - 16 * 1024))
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`)
    // A log that does not compress.
    for (const name of names) {
      const text = randomBytes(24 * 1024).toString('hex')
      started.cluster.tails.set(`${name}/runner`, { kind: 'seen', value: { text, cut: false } })
    }
    started.cluster.pods(listed(names.map((name) => runnerPod({ name }))))
    for (const name of names) started.cluster.pods({ kind: 'modified', object: oom(name) })
    const full = 'deaths wait in memory: store unavailable, spool full'
    await waitFor(() => expect(started.lines.find(([message]) => message === full)?.[1]['why']).toContain('ENOSPC'))
    // What a crash would leave now is all that was reported; what is reported during the copy may be missing in it.
    const reported = started.deaths.map(({ uid }) => uid)
    const copy = openSpool({ folder: await copyOf(folder), log: SILENT, mostBytes: 1e9 })
    const safe = new Set<string>()
    await copy.drain(async ({ postmortem }) => (safe.add(postmortem.uid), 'stored'), NEVER)
    expect(reported.filter((uid) => !safe.has(uid))).toEqual([])
    expect(reported.length).toBeLessThan(names.length)
    comeBack()
    await waitFor(() => expect(started.deaths).toHaveLength(names.length))
    // What the disk had room for was reported from there: the store gets it after what waited in memory.
    await waitFor(async () => {
      const rows = await real.deaths.list({ limit: 100 })
      expect(rows.filter(({ verdict }) => verdict?.cause === 'oom-container')).toHaveLength(names.length)
    })
    const stored = await Promise.all(names.map((name) => storedParts(real, `uid-${name}`)))
    for (const parts of stored) expect(parts.get('kubernetes/pods.json')).toContain('OOMKilled')
  })
})

function ignoreGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** On a disk with room: the full one has none for a copy. */
async function copyOf(folder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'signalbox-copied-spool-'))
  cleanups.push(() => rm(copy, { recursive: true }))
  // A file that the spool tries the disk with may be gone meanwhile.
  for (const name of await readdir(folder)) await copyFile(join(folder, name), join(copy, name)).catch(ignoreGone)
  return copy
}

const NEVER = new AbortController().signal
const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

describe('a watch that was down', () => {
  const away = { code: 'unreachable', detail: 'connection refused' } as const
  const caughtUp = { kind: 'caught-up', resourceVersion: '1' } as const

  it('marks what is reported after a gap: nothing was watching', async () => {
    const started = start({})
    started.cluster.pods(listed([runnerPod({ name: 'a' }), runnerPod({ name: 'b' })]))
    started.cluster.pods(caughtUp)
    for (const event of [{ kind: 'blind', reason: away }, caughtUp] as const) started.cluster.pods(event)
    started.cluster.pods({ kind: 'modified', object: oom('a') })
    started.cluster.pods({ kind: 'deleted', object: runnerPod({ name: 'b' }) })
    await waitFor(() => expect(started.deaths).toHaveLength(2))
    for (const uid of ['uid-a', 'uid-b']) {
      const meta = (await storedParts(started.store, uid)).get('meta.json')
      expect(meta).toContain('nothing was watching, it seems, when it went: unreachable: connection refused')
    }
  })

  it('says up to when the log was read', async () => {
    const started = start({})
    started.cluster.pods(listed([runnerPod({ name: 'a' })]))
    const line = { kind: 'line', at: new Date().toISOString(), text: 'Running job: build', cut: false } as const
    started.cluster.logs('a', line)
    started.cluster.logs('a', { kind: 'blind', reason: away })
    await vi.waitFor(async () => expect(await started.store.livePods.page(null, 9)).toHaveLength(1), {
      timeout: 50_000,
    })
    started.cluster.pods({ kind: 'deleted', object: runnerPod({ name: 'a' }) })
    await waitFor(() => expect(started.deaths).toHaveLength(1))
    const parts = await storedParts(started.store, 'uid-a')
    expect(parts.get('logs/runners/a/runner.log')).toContain('Running job: build')
    const { sources } = JSON.parse(parts.get('meta.json') ?? '') as { readonly sources: Record<string, unknown> }
    expect(sources['logs/runners/a/runner']).toMatchObject({
      ok: true,
      to: expect.any(String) as string,
      reason: 'the log stream was lost: unreachable: connection refused',
    })
  })
})
