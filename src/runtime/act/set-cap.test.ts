import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { blind, none, seen, seenList } from '#/core/basics/observed.ts'
import { readListener, readRunnerSet, readScaleSet } from '#/core/fleet/scale-set.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import type { Cap } from '#/core/lane/cap.ts'
import type { LaneActs, RemovalOutcome } from '#/ports/kubernetes-acts.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { ActWarrant } from './means.ts'
import { setCap } from './set-cap.ts'
import type { CapOrder, CapResult } from './set-cap.ts'

const SET = { namespace: 'n', name: 'lane' }
const OPEN: Cap = { min: 2, max: 8 }
const CAPPED: Cap = { min: 2, max: 4 }
const ORDER: CapOrder = {
  set: SET,
  uid: 'u',
  order: { kind: 'cap', max: 4 },
  shown: { before: OPEN, after: CAPPED },
  proveMs: 3_000,
}
const WARRANT: ActWarrant = {
  actor: 'person',
  run: 'run-1',
  epoch: null,
  cap: { run: null, set: null },
  abandonedAfterMs: 60_000,
}

class Crash extends Error {}

type Wish = {
  readonly answer?: (made: () => void) => RemovalOutcome
  /** Whether ARC replaces the listener. */
  readonly isListening?: boolean
  readonly before?: (call: string) => void
  readonly signal?: AbortSignal
}

/** A set, its listener and the calls to them, in order. */
function open({ answer, isListening = true, before = () => {}, signal = new AbortController().signal }: Wish = {}) {
  const { store } = openMemoryStore()
  const state = { cap: OPEN, annotations: {} as Record<string, string | null>, now: 1_000_000, version: 1 }
  const calls: string[] = []
  const note = (call: string): void => {
    before(call)
    calls.push(call)
  }
  const object = () => ({
    apiVersion: 'v1',
    kind: 'AutoscalingRunnerSet',
    metadata: {
      ...SET,
      uid: 'u',
      resourceVersion: String(state.version),
      annotations: state.annotations as Record<string, string>,
    },
    spec: { minRunners: state.cap.min, maxRunners: state.cap.max },
    status: { phase: 'Running' },
  })
  const listener = () =>
    readListener({ metadata: { name: 'l' }, spec: { minRunners: state.cap.min, maxRunners: state.cap.max } })
  const ledger: Ledger = {
    ...store.ledger,
    begin: async (attempt) => (note('begin'), await store.ledger.begin(attempt)),
    advance: async (row, step) => (note(`advance ${step.step}`), await store.ledger.advance(row, step)),
    end: async (row, end) => (note('end'), await store.ledger.end(row, end)),
  }
  const patch: LaneActs['setCap'] = async (_, { cap, annotation }) => {
    note('patch')
    const make = (): void => {
      state.cap = cap
      state.annotations = { [annotation.key]: annotation.value }
      state.version += 1
    }
    if (answer !== undefined) return answer(make)
    make()
    return { kind: 'done' }
  }
  const pod = (uid: string) =>
    readPodRecord({
      metadata: { name: 'l', uid },
      status: { containerStatuses: [{ name: 'listener', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }] },
    })
  const run = async (order: CapOrder = ORDER, warrant: ActWarrant = WARRANT): Promise<CapResult> =>
    await setCap(
      order,
      {
        ledger,
        kubernetes: { setCap: patch },
        clock: { now: () => state.now, sleep: async (ms) => void (state.now += ms) },
        signal,
        read: async () =>
          seen({
            object: object(),
            facts: {
              set: readScaleSet(object()),
              runnerSets: seen([readRunnerSet({ metadata: { name: 'e' } })]),
              runners: none(),
              listeners: seenList([listener()]),
              controllers: none(),
            },
          }),
        sight: async () => ({
          listeners: seen([listener()]),
          pod: seen(pod('p')),
          log: isListening ? seen(`Calculated target runner count min=${state.cap.min} max=${state.cap.max}`) : none(),
        }),
        say: () => {},
      },
      warrant,
    )
  return { state, calls, run, rows: () => store.ledger.list({ limit: 10 }) }
}

describe('setting a cap', () => {
  it('writes each step before it is taken', async () => {
    const { run, calls } = open()
    expect(await run()).toMatchObject({ kind: 'set', proof: { kind: 'proved' } })
    expect(calls).toEqual(['begin', 'advance patching', 'patch', 'advance proving', 'end'])
  })

  it('says so if the listener does not prove it in time', async () => {
    const { run, rows } = open({ isListening: false })
    expect(await run()).toMatchObject({ kind: 'set', proof: { kind: 'not-yet' } })
    expect((await rows())[0]).toMatchObject({
      outcome: 'done',
      why: expect.stringContaining('has not proved it') as string,
    })
  })

  it.each([
    ['begin', 0],
    ['advance patching', 1],
    ['patch', 1],
    ['advance proving', 1],
    ['end', 1],
  ])(
    'leaves after a crash before "%s" a row that says how far it got, which the next run closes',
    async (step, left) => {
      const lane = open({
        before: (call) => {
          if (call === step && lane.state.now === 1_000_000) throw new Crash()
        },
      })
      await expect(lane.run()).rejects.toThrow(Crash)
      const crashed = await lane.rows()
      expect(crashed).toHaveLength(left)
      expect(crashed.every(({ outcome }) => outcome === 'planned')).toBe(true)
      lane.state.now += 60_000
      const isChanged = lane.state.cap.max === 4
      const order: CapOrder = isChanged
        ? { ...ORDER, order: { kind: 'restore' }, shown: { before: CAPPED, after: OPEN } }
        : ORDER
      expect(await lane.run(order, { ...WARRANT, run: 'run-2' })).toMatchObject({ kind: 'set' })
      expect(lane.state.cap).toEqual(isChanged ? OPEN : CAPPED)
      const rows = await lane.rows()
      expect(rows.map(({ outcome }) => outcome)).toEqual([
        'done',
        ...(left === 0 ? [] : [isChanged ? 'done' : 'failed']),
      ])
    },
  )

  it('leaves a change that another run has under way', async () => {
    const lane = open({
      before: (call) => {
        if (call === 'patch') throw new Crash()
      },
    })
    await expect(lane.run()).rejects.toThrow(Crash)
    lane.state.now += 10_000
    expect(await lane.run(ORDER, { ...WARRANT, run: 'run-2' })).toMatchObject({ kind: 'taken' })
  })

  it.each<readonly [string, RemovalOutcome, boolean, object]>([
    ['an answer is lost after the change', { ...blind('timeout', 'lost'), applied: 'unknown' }, true, { kind: 'set' }],
    [
      'an answer is lost before the change',
      { ...blind('timeout', 'lost'), applied: 'unknown' },
      false,
      { kind: 'failed' },
    ],
    ['the right is missing', { kind: 'declined', message: 'cannot patch resource' }, false, { kind: 'failed' }],
    ['the set is gone', { kind: 'gone' }, false, { kind: 'vanished' }],
    ['somebody writes all the time', { kind: 'changed', message: 'modified' }, false, { kind: 'failed' }],
  ])('ends if %s', async (_, outcome, isMade, expected) => {
    const { run, rows } = open({ answer: (make) => (isMade ? make() : undefined, outcome) })
    expect(await run()).toMatchObject(expected)
    expect((await rows()).every((row) => row.outcome !== 'planned')).toBe(true)
  })

  it('changes nothing after Ctrl-C, and closes its row', async () => {
    const { run, calls, rows } = open({ signal: AbortSignal.abort() })
    expect(await run()).toMatchObject({ kind: 'failed' })
    expect(calls).not.toContain('patch')
    expect((await rows())[0]).toMatchObject({ outcome: 'failed' })
  })

  it('refuses another set of the same name', async () => {
    const { run, rows } = open()
    expect(await run({ ...ORDER, uid: 'other' })).toMatchObject({ kind: 'refused', decidedBy: 'identity' })
    expect((await rows())[0]).toMatchObject({ outcome: 'refused', decidedBy: 'identity' })
  })
})
