import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAuditLogReceiver } from '#/adapters/audit-log/audit-log-receiver.ts'
import { systemClock } from '#/adapters/clock.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { AuditLog, AuditLogEvent } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Store } from '#/ports/store/store.ts'
import { fakeCluster, listed, podEvent, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { storedParts } from '#test/recorder/start-recorder.ts'
import type { RecorderSettings } from './settings.ts'
import { auditLogEvent } from '#test/recorder/audit-log-event.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'

const REAPER = 'system:serviceaccount:ci:reaper'
const HOUR_MS = 3_600_000
const PATIENCE = { timeout: 30_000, interval: 20 }

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

type World = RunningRecorder & {
  readonly cluster: FakeCluster
  readonly receiver: ReturnType<typeof createAuditLogReceiver>
}

type Plan = {
  readonly store?: Store
  readonly backMs: number
  readonly audit?: AuditLog
  readonly clock?: Clock
  readonly settings?: Partial<RecorderSettings>
}

function start({ store = memoryStore(), backMs, audit, clock = systemClock, ...plan }: Plan): World {
  const cluster = fakeCluster()
  const receiver = createAuditLogReceiver(null, systemClock)
  receiver.open()
  const metadata = { name: 'n1', uid: 'uid-n1', resourceVersion: '1' }
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  cluster.standing.set('nodes/n1', { apiVersion: 'v1', kind: 'Node', metadata, status })
  const own = { name: 'a', namespace: 'runners', uid: 'uid-of-record', resourceVersion: '1' }
  const at = { jobDisplayName: 'build', jobRepositoryName: 'acme/app', workflowRunId: 9, runnerName: 'a' }
  cluster.standing.set('ephemeralrunners/a', { apiVersion: 'v1', kind: 'EphemeralRunner', metadata: own, status: at })
  const settings = { ...plan.settings, auditLogBackMs: backMs }
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, store, audit: audit ?? receiver, settings, clock })
  running.push(recorder)
  return { ...recorder, cluster, receiver }
}

/** The hour in which audit events may be resent lasts until the test ends it. */
function clockUntil(): { readonly clock: Clock; readonly over: AbortController } {
  const over = new AbortController()
  const sleep: Clock['sleep'] = (ms, signal = over.signal) =>
    systemClock.sleep(ms, ms === HOUR_MS ? AbortSignal.any([signal, over.signal]) : signal)
  return { clock: { ...systemClock, sleep }, over }
}

/** Of a run before: it lived when that ended. */
async function storeWithLivePod(name: string, seenAt: number): Promise<Store> {
  const store = memoryStore()
  const owner = { kind: 'EphemeralRunner', name, uid: 'uid-of-record' }
  const object = runnerPod({ name, metadata: { ownerReferences: [owner] } })
  const place = { namespace: 'runners', pod: name, node: 'n1', pool: null }
  await store.livePods.put([{ uid: `uid-${name}`, ...place, seenAt, object }])
  return store
}

/** The kubelet reports that it was alive then. */
const killing = (at: number): KubeObject => {
  const time = new Date(at).toISOString()
  const event = podEvent(runnerPod({ name: 'a' }), 'Killing', 'Stopping container runner')
  return { ...event, firstTimestamp: time, lastTimestamp: time }
}

const force = (name: string, at: number) =>
  auditLogEvent({ at, pod: name, requestObject: { gracePeriodSeconds: 0, preconditions: { uid: `uid-${name}` } } })
const lease = (at: number) => auditLogEvent({ at, verb: 'update', objectRef: { resource: 'leases', name: 'x' } })
const rows = ({ store }: World) => store.deaths.list({ limit: 10 })
const died = (world: World, count: number) => vi.waitFor(() => expect(world.deaths).toHaveLength(count), PATIENCE)

type Sources = Readonly<Record<string, { readonly ok: boolean; readonly reason?: string }>>

async function readAuditSource({ store }: World, uid: string): Promise<Sources[string] | undefined> {
  const meta = JSON.parse((await storedParts(store, uid)).get('meta.json') ?? '{}') as { readonly sources: Sources }
  return meta.sources['kubernetes/audit']
}

const failed = (name: string): KubeObject => {
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  return runnerPod({ name, phase: 'Failed', state: { terminated } })
}

describe('a death from a time in which no audit events were received', () => {
  it('waits for the audit log, recorded and not judged, and is reported once, with the actor', async () => {
    const gone = Date.now() - 5000
    const { clock, over } = clockUntil()
    const world = start({ store: await storeWithLivePod('a', gone - 1000), backMs: HOUR_MS, clock })
    world.cluster.events(listed([killing(gone)]))
    world.cluster.pods(listed([]))
    world.receiver.take([lease(Date.now())])
    await vi.waitFor(async () => expect(await rows(world)).toMatchObject([{ pod: 'a', verdict: null }]), PATIENCE)
    await vi.waitFor(
      async () => expect((await readAuditSource(world, 'uid-a'))?.reason).toContain('waiting for audit events'),
      PATIENCE,
    )
    expect(world.deaths).toEqual([])
    expect(world.receiver.take([force('a', gone), lease(Date.now() + 2000)])).toBe(1)
    over.abort()
    await died(world, 1)
    expect(world.deaths[0]).toMatchObject({
      cause: 'force-deleted',
      actor: REAPER,
      missed: true,
      job: { name: 'build' },
    })
    expect(await rows(world)).toMatchObject([{ verdict: { cause: 'force-deleted' } }])
    const parts = await storedParts(world.store, 'uid-a')
    expect(parts.get('kubernetes/audit.jsonl')).toContain('"verb":"delete"')
    expect(parts.get('kubernetes/pods.json')).toContain('uid-a')
    expect((await readAuditSource(world, 'uid-a'))?.ok).toBe(true)
    expect(world.exposed()).toContain('signalbox_deaths_total{cause="force-deleted",kind="death",pool="linux"} 1\n')
  })

  it('is judged even if more deaths wake at once than the queue holds', async () => {
    const { clock, over } = clockUntil()
    const store = memoryStore()
    const get: Store['deaths']['get'] = async (uid) => {
      if (over.signal.aborted) await systemClock.sleep(250)
      return store.deaths.get(uid)
    }
    const slow = { ...store, deaths: { ...store.deaths, get } }
    const world = start({ store: slow, backMs: HOUR_MS, clock, settings: { mostWaiting: 5, mostAtOnce: 1 } })
    const names = Array.from({ length: 15 }, (_, index) => `p${index}`)
    world.cluster.events(listed([]))
    world.cluster.pods(listed(names.map((name) => runnerPod({ name }))))
    for (const name of names) {
      world.cluster.pods({ kind: 'modified', object: failed(name) })
      await vi.waitFor(
        async () => expect((await readAuditSource(world, `uid-${name}`))?.reason).toContain('waiting for audit events'),
        PATIENCE,
      )
    }
    over.abort()
    await died(world, names.length)
  })

  it('is not judged with partial evidence while the rest is not stored yet', async () => {
    const gone = Date.now() - 5000
    const store = await storeWithLivePod('a', gone - 1000)
    const { clock, over } = clockUntil()
    let isBack = false
    const written: number[] = []
    const record: Store['deaths']['record'] = async (row, parts) => {
      written.push(parts.length)
      if (written.length > 1 && !isBack) throw new StoreUnavailable('away')
      return store.deaths.record(row, parts)
    }
    const get: Store['deaths']['get'] = async (uid) => {
      isBack = over.signal.aborted
      return store.deaths.get(uid)
    }
    const deaths = { ...store.deaths, record, get }
    const settings = { mostHeldBytes: 0 }
    const world = start({ store: { ...store, deaths }, backMs: HOUR_MS, clock, settings })
    world.cluster.events(listed([killing(gone)]))
    world.cluster.pods(listed([]))
    await vi.waitFor(() => expect(written.length).toBeGreaterThan(1), PATIENCE)
    world.receiver.take([force('a', gone), lease(Date.now() + 2000)])
    over.abort()
    await died(world, 1)
    expect(world.deaths[0]).toMatchObject({ actor: REAPER, job: { name: 'build' } })
    await vi.waitFor(async () => expect((await readAuditSource({ ...world, store }, 'uid-a'))?.ok).toBe(true), PATIENCE)
    const meta = (await storedParts(store, 'uid-a')).get('meta.json') ?? ''
    expect(JSON.parse(meta)).toMatchObject({ sources: { 'kubernetes/nodes': { ok: true } } })
  })

  it('is judged without the audit log when that time is over, and says since when events were received', async () => {
    const world = start({ store: await storeWithLivePod('a', Date.now() - 5000), backMs: 600 })
    world.cluster.events(listed([]))
    world.cluster.pods(listed([]))
    world.receiver.take([lease(Date.now() + 2000)])
    await died(world, 1)
    expect(world.deaths[0]?.blind).toContainEqual({
      source: 'kubernetes/audit',
      reason: expect.stringMatching(/^not-asked: audit events were heard only from 20\S+Z on/) as string,
    })
  })

  it('is judged by the next process, where we stop in that time', async () => {
    const gone = Date.now() - 5000
    const first = start({ store: await storeWithLivePod('a', gone - 1000), backMs: 60_000 })
    first.cluster.events(listed([killing(gone)]))
    first.cluster.pods(listed([]))
    await vi.waitFor(async () => expect((await readAuditSource(first, 'uid-a'))?.ok).toBe(false), PATIENCE)
    await first.stop()
    const second = start({ store: first.store, backMs: 300 })
    second.cluster.events(listed([killing(gone)]))
    second.cluster.pods(listed([]))
    second.receiver.take([force('a', gone), lease(Date.now() + 2000)])
    await died(second, 1)
    expect(first.deaths).toEqual([])
    expect(second.deaths[0]).toMatchObject({ actor: REAPER, repository: 'acme/app', job: { name: 'build' } })
  })

  it('is judged with what is available where the store fails meanwhile', async () => {
    const gone = Date.now() - 5000
    const store = await storeWithLivePod('a', gone - 1000)
    const get = async (): Promise<never> => {
      throw new Error('away')
    }
    const world = start({ store: { ...store, deaths: { ...store.deaths, get } }, backMs: 300 })
    world.cluster.events(listed([killing(gone)]))
    world.cluster.pods(listed([]))
    world.receiver.take([force('a', gone), lease(Date.now() + 2000)])
    await died(world, 1)
    expect(world.deaths[0]?.actor).toBe(REAPER)
    expect((await readAuditSource({ ...world, store }, 'uid-a'))?.ok).toBe(true)
  })
})

describe('a death while audit events are received', () => {
  it('does not wait, and an audit log without a line about it is not blind', async () => {
    const world = start({ backMs: 60_000 })
    world.cluster.events(listed([]))
    world.cluster.pods(listed([runnerPod({ name: 'a' })]))
    world.receiver.take([lease(Date.now() - 2000)])
    await new Promise((resolve) => setTimeout(resolve, 1100))
    world.cluster.pods({ kind: 'modified', object: failed('a') })
    await world.cluster.taken()
    world.receiver.take([lease(Date.now() + 2000)])
    await died(world, 1)
    expect((await readAuditSource(world, 'uid-a'))?.ok).toBe(true)
  })

  it('has a blind audit log where the last event is older than its end', async () => {
    const [from, to] = [Date.now() - 60_000, Date.now() - 1000]
    const lines = async function* (): AsyncGenerator<AuditLogEvent> {
      yield { kind: 'looking', from, to }
    }
    const world = start({ backMs: 0, audit: { lines } })
    world.cluster.events(listed([]))
    world.cluster.pods(listed([runnerPod({ name: 'a' })]))
    world.cluster.pods({ kind: 'modified', object: failed('a') })
    await died(world, 1)
    expect((await readAuditSource(world, 'uid-a'))?.reason).toBe(
      `timeout: the last audit event that came is of ${new Date(to).toISOString()}, and it ended after that`,
    )
  })

  it('has a blind audit log where nothing was sent yet', async () => {
    const world = start({ backMs: 0 })
    world.cluster.events(listed([]))
    world.cluster.pods(listed([runnerPod({ name: 'a' })]))
    world.cluster.pods({ kind: 'modified', object: failed('a') })
    await died(world, 1)
    expect((await readAuditSource(world, 'uid-a'))?.reason).toContain('no API server has sent audit events')
  })
})
