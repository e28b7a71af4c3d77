import { describe, expect, it } from 'vitest'
import type { AuditLogEvent } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import { auditLogEvent } from '#test/recorder/audit-log-event.ts'
import { createAuditLogReceiver } from './audit-log-receiver.ts'

const ALL = { namespaces: null, nodes: null, window: { from: 0, to: null } }
const { signal } = new AbortController()
let now = 0
const clock: Clock = {
  now: () => now,
  sleep: async (ms) => {
    now += ms
    await new Promise((resolve) => setImmediate(resolve))
  },
}

async function readEvents(receiver: ReturnType<typeof createAuditLogReceiver>): Promise<readonly AuditLogEvent[]> {
  return all(receiver.lines(signal, ALL))
}

async function all<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = []
  for await (const one of source) list.push(one)
  return list
}

describe('what an API server sends', () => {
  it('is refused while this replica does not record', () => {
    expect(createAuditLogReceiver(null, clock).take([auditLogEvent({ at: 1 })])).toBeNull()
  })

  it('is blind, not empty, until something was sent', async () => {
    const receiver = createAuditLogReceiver(null, clock)
    using _open = receiver.open()
    expect(await readEvents(receiver)).toMatchObject([{ kind: 'blind', reason: { code: 'unsupported' } }])
    expect(receiver.take([])).toBe(0)
    expect(await readEvents(receiver)).toMatchObject([{ kind: 'blind' }])
  })

  it('is complete from the end of the first batch to the last event, whatever they are about', async () => {
    const receiver = createAuditLogReceiver(null, clock)
    using _open = receiver.open()
    const lease = { verb: 'update', objectRef: { resource: 'leases', name: 'kube-scheduler' } }
    expect(receiver.take([auditLogEvent({ at: 3000 }), auditLogEvent({ at: 1000, ...lease })])).toBe(1)
    expect((await readEvents(receiver))[0]).toEqual({ kind: 'looking', from: 3000, to: 3000 })
    expect(receiver.take([auditLogEvent({ at: 2000, ...lease }), auditLogEvent({ at: 9000, ...lease })])).toBe(0)
    const [looking, line, ...rest] = await readEvents(receiver)
    expect([looking, rest]).toEqual([{ kind: 'looking', from: 3000, to: 9000 }, []])
    expect(line).toMatchObject({ kind: 'line', text: expect.stringContaining('"verb":"delete"') as string })
  })

  it('is complete from the first arrival: refused events are resent in any order', async () => {
    let arrived = 60_000
    const receiver = createAuditLogReceiver(null, { ...clock, now: () => arrived })
    using _open = receiver.open()
    expect(receiver.takenSince()).toBeNull()
    receiver.take([auditLogEvent({ at: 20_000 })])
    expect(receiver.takenSince()).toBe(60_000)
    arrived = 90_000
    receiver.take([auditLogEvent({ at: 90_000 }), auditLogEvent({ at: 25_000 })])
    const [looking, ...lines] = await readEvents(receiver)
    expect([looking, lines.length]).toEqual([{ kind: 'looking', from: 60_000, to: 90_000 }, 3])
  })

  it('does not cover the time in which another replica recorded', async () => {
    const receiver = createAuditLogReceiver(null, clock)
    const first = receiver.open()
    receiver.take([auditLogEvent({ at: 1000 })])
    first[Symbol.dispose]()
    expect(receiver.take([auditLogEvent({ at: 2000 })])).toBeNull()
    using _second = receiver.open()
    expect(await readEvents(receiver)).toMatchObject([{ kind: 'blind' }])
    receiver.take([auditLogEvent({ at: 5000 })])
    expect((await readEvents(receiver))[0]).toEqual({ kind: 'looking', from: 5000, to: 5000 })
  })

  it('keeps the options of a delete, and no written object', async () => {
    const receiver = createAuditLogReceiver(null, clock)
    using _open = receiver.open()
    const secret = { spec: { containers: [{ env: [{ value: 'jit-configuration' }] }] } }
    receiver.take([
      { ...auditLogEvent({ at: 1000, verb: 'create', requestObject: secret }), responseObject: secret },
      auditLogEvent({ at: 1001, requestObject: { gracePeriodSeconds: 0, preconditions: { uid: 'u' } } }),
    ])
    const text = JSON.stringify(await readEvents(receiver))
    expect(text).not.toContain('jit-configuration')
    expect(text).toContain('gracePeriodSeconds')
  })

  it('waits a moment where it lags, once without result, and again after something was sent', async () => {
    const receiver = createAuditLogReceiver(null, clock)
    using _open = receiver.open()
    const ask = async (awaited: number) => {
      const begun = now
      const [looking] = await all(receiver.lines(signal, { ...ALL, awaited }))
      return { looking, waited: now - begun }
    }
    expect((await ask(1000)).waited).toBe(0)
    receiver.take([auditLogEvent({ at: 1000 })])
    expect((await ask(1000)).waited).toBe(0)
    expect((await ask(2000)).waited).toBe(5000)
    expect((await ask(2000)).waited).toBe(0)
    receiver.take([auditLogEvent({ at: 1500 })])
    const asked = ask(2000)
    receiver.take([auditLogEvent({ at: 2500 })])
    const { looking, waited } = await asked
    expect(looking).toEqual({ kind: 'looking', from: 1000, to: 2500 })
    expect(waited).toBeLessThan(5000)
  })

  it('waits no longer where the clock is set back meanwhile', async () => {
    let [shown, slept] = [10_000_000, 0]
    const set: Clock = {
      now: () => shown,
      sleep: async (ms) => {
        slept += ms
        shown += slept === ms ? -7_200_000 : ms
      },
    }
    const receiver = createAuditLogReceiver(null, set)
    using _open = receiver.open()
    receiver.take([auditLogEvent({ at: 9_999_000 })])
    await all(receiver.lines(signal, { ...ALL, awaited: 10_001_000 }))
    expect(slept).toBe(5000)
  })

  it('ignores what is not an event', () => {
    const receiver = createAuditLogReceiver(null, clock)
    using _open = receiver.open()
    expect(receiver.take([null, 5, 'x', [], {}, { stageTimestamp: 'never' }])).toBe(0)
  })

  it.each(['9999-12-31T23:59:59Z', '+275760-09-13T00:00:00Z'])(
    'covers the same with an event of %s in the first batch or later, and logs it once',
    async (date) => {
      let arrived = 60_000
      const warned: string[] = []
      const log = { warn: (message: string) => void warned.push(message) }
      const receiver = createAuditLogReceiver(null, { ...clock, now: () => arrived }, { log })
      using _open = receiver.open()
      const future = auditLogEvent({ at: Date.parse(date) })
      receiver.take([auditLogEvent({ at: 59_000 }), future])
      expect(receiver.takenSince()).toBe(60_000)
      arrived = 100_000
      receiver.take([auditLogEvent({ at: 99_000 }), future])
      arrived = 7_200_000
      receiver.take([auditLogEvent({ at: 7_199_000 })])
      expect((await readEvents(receiver))[0]).toEqual({ kind: 'looking', from: 100_001, to: 7_199_000 })
      expect(warned).toEqual([expect.stringContaining('dated in the future')])
    },
  )

  it('covers from the correction on where our own clock was two hours ahead at the start', async () => {
    let arrived = 7_260_000
    const receiver = createAuditLogReceiver(null, { ...clock, now: () => arrived })
    using _open = receiver.open()
    receiver.take([auditLogEvent({ at: 60_000 })])
    expect(receiver.takenSince()).toBe(7_260_000)
    arrived = 100_000
    expect(receiver.takenSince()).toBe(100_000)
    arrived = 160_000
    receiver.take([auditLogEvent({ at: 160_000 })])
    expect((await readEvents(receiver))[0]).toEqual({ kind: 'looking', from: 100_000, to: 160_000 })
  })
})
