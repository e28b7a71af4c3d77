import { afterEach, describe, expect, it } from 'vitest'
import { createAuditLogReceiver } from '#/adapters/audit-log/audit-log-receiver.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import { redactToBytes } from '#/app/judging.ts'
import { blind } from '#/core/basics/observed.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { Store } from '#/ports/store/store.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import type { HandClock } from '#test/github/hand-clock.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import type { FakeCluster } from '#test/recorder/fake-cluster.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'
import type { RecorderPlan, RunningRecorder } from '#test/recorder/start-recorder.ts'
import { createDeathTurns } from './death-turns.ts'
import { RECORDER_DEFAULTS } from './settings.ts'

const TWO_HOURS_MS = 2 * 3_600_000
/** Less than two hours, and far more than any wait of the recorder. */
const SOON_SECONDS = 3600
/** The work of a second that passes at once needs some time of the machine. */
const REAL_MS = 10

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

type World = RunningRecorder & { readonly cluster: FakeCluster; readonly clock: HandClock }

function start(plan: Omit<RecorderPlan, 'kubernetes' | 'clock'> = {}): World {
  const cluster = fakeCluster()
  const clock = createHandClock(Date.now())
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, clock, ...plan })
  running.push(recorder)
  return { ...recorder, cluster, clock }
}

const aMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REAL_MS))

async function pass({ clock }: Pick<World, 'clock'>, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1000)
    await aMoment()
  }
}

/** False where that takes longer. */
async function happensSoon(world: Pick<World, 'clock'>, isTrue: () => boolean): Promise<boolean> {
  for (let second = 0; second < SOON_SECONDS && !isTrue(); second += 1) await pass(world, 1)
  return isTrue()
}

function die({ cluster }: World, name: string): void {
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  cluster.pods({ kind: 'modified', object: runnerPod({ name, phase: 'Failed', state: { terminated } }) })
}

async function begin(world: World): Promise<void> {
  world.cluster.events(listed([]))
  world.cluster.pods(listed([runnerPod({ name: 'a' })]))
  await pass(world, 2)
}

function withoutAgent(code: 'unreachable' | 'not-asked'): NodeAgents {
  return { of: () => blind(code, 'away'), watch: () => {}, stored: () => {} }
}

function silentWebhook(): AuditLog {
  const receiver = createAuditLogReceiver(null, createHandClock())
  receiver.open()
  return receiver
}

async function storeWithLivePod(): Promise<Store> {
  const store = memoryStore()
  const place = { namespace: 'runners', pod: 'a', node: 'n1', pool: null }
  await store.livePods.put([{ uid: 'uid-a', ...place, seenAt: Date.now() - 5000, object: runnerPod({ name: 'a' }) }])
  return store
}

describe.each([
  ['back', -TWO_HOURS_MS],
  ['forward', TWO_HOURS_MS],
])('a clock that is set %s two hours', { timeout: 300_000 }, (_direction, byMs) => {
  it('does not make an end settle for two hours', async () => {
    const isSet = Promise.withResolvers<void>()
    const redact: RecorderPlan['redact'] = async (file) => {
      await isSet.promise
      return redactToBytes(file)
    }
    const world = start({ redact })
    await begin(world)
    die(world, 'a')
    await world.cluster.taken()
    world.clock.set(byMs)
    isSet.resolve()
    expect(await happensSoon(world, () => world.deaths.length === 1)).toBe(true)
  })

  it('does not prolong the wait for an agent that may come back', async () => {
    const world = start({ agents: withoutAgent('unreachable'), settings: { agentsBackMs: 60_000 } })
    await begin(world)
    die(world, 'a')
    await pass(world, 5)
    expect(world.deaths).toEqual([])
    world.clock.set(byMs)
    expect(await happensSoon(world, () => world.deaths.length === 1)).toBe(true)
  })

  it.each<[string, Omit<RecorderPlan, 'kubernetes'>]>([
    ['an agent', { agents: withoutAgent('not-asked'), settings: { agentsBackMs: 15_000 } }],
    ['audit events from before our start', { audit: silentWebhook(), settings: { auditLogBackMs: 45_000 } }],
  ])('does not make a death wait again for %s', async (_, plan) => {
    const world = start(plan)
    await begin(world)
    await pass(world, 60)
    world.clock.set(byMs)
    die(world, 'a')
    expect(await happensSoon(world, () => world.deaths.length === 1)).toBe(true)
  })

  it('does not delay a missed death whose events cannot be listed', async () => {
    const world = start({ store: await storeWithLivePod() })
    world.cluster.pods(listed([]))
    await pass(world, 2)
    world.clock.set(byMs)
    expect(await happensSoon(world, () => world.deaths.length === 1)).toBe(true)
  })

  it('does not make a judgement wait longer for deaths that are not recorded yet', async () => {
    const clock = createHandClock()
    const settings = { ...RECORDER_DEFAULTS, labelSelector: 'x', namespaces: null }
    const during = <T>(_uid: string, _for: unknown, work: () => Promise<T>): Promise<T> => work()
    const means = { ports: { progress: { during } } } as unknown as Parameters<typeof createDeathTurns>[0]['means']
    const turns = createDeathTurns({ means, clock, settings }, { waiting: () => 1 }, new AbortController().signal)
    const work = { at: 'gathered', pod: { uid: 'a' }, gathered: { collected: { files: new Map() } } }
    let isJudged = false
    void turns.judge(work as unknown as Parameters<typeof turns.judge>[0], async () => void (isJudged = true))
    await aMoment()
    clock.set(byMs)
    expect(await happensSoon({ clock }, () => isJudged)).toBe(true)
  })
})
