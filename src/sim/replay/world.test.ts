import { describe, expect, it } from 'vitest'
import { textAt } from '#/core/basics/fields.ts'
import type { AuditLogScope } from '#/core/kubernetes/audit-log-scope.ts'
import type { Play } from './play.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const T0 = Date.parse('2026-06-01T00:00:00Z')
const seconds = (count: number): number => T0 + count * 1000

/** A clock that runs only while the world sleeps, until the given second. */
function handClock() {
  let now = T0
  let stopAt = T0
  let stop = new AbortController()
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
      if (now >= stopAt) stop.abort()
    },
  }
  const runTo = async (world: World, second: number): Promise<void> => {
    stop = new AbortController()
    stopAt = seconds(second)
    await world.run(stop.signal)
  }
  return { clock, runTo }
}

function pod(name: string, phase: string) {
  return { metadata: { name, namespace: 'ci', uid: name }, spec: { nodeName: 'n1' }, status: { phase } }
}

function play(name: string, more: Partial<Play> = {}): Play {
  return {
    recording: name,
    namespace: 'ci',
    pod: name,
    uid: name,
    node: 'n1',
    phases: [
      { at: seconds(-60), object: pod(name, 'Pending') },
      { at: seconds(-50), object: pod(name, 'Running') },
      { at: seconds(5), object: pod(name, 'Failed') },
      { at: seconds(8), object: null },
    ],
    events: [
      { at: seconds(-55), object: { metadata: { name: `${name}.1`, namespace: 'ci' }, reason: 'Scheduled' } },
      { at: seconds(4), object: { metadata: { name: `${name}.2`, namespace: 'ci' }, reason: 'Killing' } },
    ],
    record: { metadata: { name, namespace: 'ci' } },
    nodeObject: { metadata: { name: 'n1' } },
    logs: new Map(),
    audit: [],
    host: () => null,
    job: null,
    endsAt: seconds(5),
    overAt: seconds(20),
    ...more,
  }
}

const readPhase = ({ store }: World, name: string): string | null =>
  textAt(store.get('pods', { namespace: 'ci', name }), 'status', 'phase')

const reasonsIn = ({ store }: World): readonly (string | null)[] =>
  store.list('events', 'ci').map((event) => textAt(event, 'reason'))

const EVERYBODY: AuditLogScope = { namespaces: null, nodes: null, window: { from: 0, to: null } }

async function readAuditLog({ audit }: World): Promise<readonly string[]> {
  const lines: string[] = []
  const { signal } = new AbortController()
  for await (const event of audit.lines(signal, EVERYBODY)) if (event.kind === 'line') lines.push(event.text)
  return lines
}

describe('the replayed world', () => {
  it('shows who enters in the middle of a life as it is now, without what went before', () => {
    const world = createWorld(handClock().clock)
    world.begin(play('a'))
    expect(readPhase(world, 'a')).toBe('Running')
    expect(world.store.since(0)).toBeNull()
    const events = world.store.since(1000)?.filter(({ resource }) => resource === 'pods') ?? []
    expect(events.map(({ type }) => type)).toEqual(['ADDED'])
    expect(reasonsIn(world)).toEqual(['Scheduled'])
  })

  it('lets each thing happen in its order when it is due, and not before', async () => {
    const { clock, runTo } = handClock()
    const world = createWorld(clock)
    world.begin(play('a'))
    await runTo(world, 3)
    expect([readPhase(world, 'a'), ...reasonsIn(world)]).toEqual(['Running', 'Scheduled'])
    await runTo(world, 6)
    expect([readPhase(world, 'a'), ...reasonsIn(world)]).toEqual(['Failed', 'Scheduled', 'Killing'])
    await runTo(world, 9)
    expect(readPhase(world, 'a')).toBeNull()
    expect(world.store.get('ephemeralrunners', { namespace: 'ci', name: 'a' })).not.toBeNull()
    const changes = world.store.since(1000)?.filter(({ resource }) => resource === 'pods') ?? []
    expect(changes.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
  })

  it('forgets all of who is over, and the node with the last who was on it', async () => {
    const { clock, runTo } = handClock()
    const world = createWorld(clock)
    world.begin(play('a'))
    world.begin(play('b', { overAt: seconds(40) }))
    await runTo(world, 21)
    expect(world.plays().map(({ pod }) => pod)).toEqual(['b'])
    expect(world.store.get('nodes', { namespace: null, name: 'n1' })).not.toBeNull()
    await runTo(world, 41)
    expect(world.plays()).toEqual([])
    for (const resource of ['pods', 'events', 'nodes', 'ephemeralrunners']) {
      expect(world.store.list(resource, null)).toEqual([])
    }
  })

  it('has the audit lines of all in their order, up to now', async () => {
    const { clock, runTo } = handClock()
    const world = createWorld(clock)
    const line = (second: number) => ({ at: seconds(second), text: String(second) })
    world.begin(play('a', { audit: [line(-9), line(2)] }))
    world.begin(play('b', { audit: [line(-10), line(-8), line(12)] }))
    expect(await readAuditLog(world)).toEqual(['-10', '-9', '-8'])
    await runTo(world, 3)
    expect(await readAuditLog(world)).toEqual(['-10', '-9', '-8', '2'])
  })
})
