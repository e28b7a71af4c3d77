import { describe, expect, it } from 'vitest'

import { SLOT_STATES, SLOT_TABLE, intendedJob, isLive, nextSlot, slotRunner } from './slot.ts'
import type { Slot, SlotEvent, SlotEventKind, SlotPhase, SlotState } from './slot.ts'
import { slotFacts } from '#test/core/assignment-world.ts'

const runner = { id: 41, name: 'pod-a-x1' }
const facts = slotFacts('a')

const phases: Readonly<Record<SlotState, SlotPhase>> = {
  warm: { state: 'warm' },
  claimed: { state: 'claimed', intended: 7, claimedAt: 10 },
  minted: { state: 'minted', intended: 7, runner, mintedAt: 20 },
  registered: { state: 'registered', intended: 7, runner, mintedAt: 20 },
  executing: { state: 'executing', executing: 7, runner, startedAt: 30 },
  ended: { state: 'ended', executed: null, runner, intended: 7, endedAt: 40 },
  lost: { state: 'lost', executed: null, runner, intended: 7, endedAt: 40 },
}

const events: Readonly<Record<SlotEventKind, SlotEvent>> = {
  appeared: { kind: 'appeared', at: 50, facts },
  claimed: { kind: 'claimed', at: 50, job: 8 },
  minted: { kind: 'minted', at: 50, runner },
  registered: { kind: 'registered', at: 50, runner },
  retargeted: { kind: 'retargeted', at: 50, job: 8 },
  withdrawn: { kind: 'withdrawn', at: 50, job: 7 },
  started: { kind: 'started', at: 50, job: 8, runner },
  completed: { kind: 'completed', at: 50, job: 7, runner },
  'pod-ended': { kind: 'pod-ended', at: 50 },
  'pod-lost': { kind: 'pod-lost', at: 50 },
}

const kinds = Object.keys(events) as SlotEventKind[]
type Row = Readonly<Partial<Record<SlotEventKind, SlotState>>>

/** Every state × every event; what is not named changes nothing. */
const answers: Readonly<Record<SlotState | 'absent', Row>> = {
  absent: { appeared: 'warm' },
  warm: { claimed: 'claimed', 'pod-ended': 'ended', 'pod-lost': 'lost' },
  claimed: { minted: 'minted', retargeted: 'claimed', withdrawn: 'warm', 'pod-ended': 'ended', 'pod-lost': 'lost' },
  minted: {
    registered: 'registered',
    retargeted: 'minted',
    withdrawn: 'minted',
    started: 'executing',
    completed: 'ended',
    'pod-ended': 'ended',
    'pod-lost': 'lost',
  },
  registered: {
    retargeted: 'registered',
    withdrawn: 'registered',
    started: 'executing',
    completed: 'ended',
    'pod-ended': 'ended',
    'pod-lost': 'lost',
  },
  executing: { completed: 'ended', 'pod-ended': 'ended', 'pod-lost': 'lost' },
  ended: { started: 'ended', completed: 'ended' },
  lost: { started: 'lost', completed: 'lost' },
}

const slotIn = (state: SlotState): Slot => ({ ...facts, generation: 3, ...phases[state] })

describe('a slot', () => {
  for (const state of ['absent', ...SLOT_STATES] as const) {
    for (const kind of kinds) {
      const answer = answers[state][kind]
      it(`that is ${state} ${answer === undefined ? 'ignores' : `becomes ${answer} on`} "${kind}"`, () => {
        const before = state === 'absent' ? null : slotIn(state)
        const after = nextSlot(before, events[kind])
        expect(after?.state).toBe(answer)
        if (after !== null) expect(after.generation).toBe((before?.generation ?? 0) + 1)
      })
    }
  }

  it('has a named answer for each state and event', () => {
    expect(Object.keys(SLOT_TABLE).sort()).toEqual(['absent', ...SLOT_STATES].sort())
    for (const row of Object.values(SLOT_TABLE)) expect(Object.keys(row).sort()).toEqual([...kinds].sort())
  })

  it('executes only what GitHub reports for its own runner', () => {
    const foreign = { id: 99, name: runner.name }
    expect(nextSlot(slotIn('registered'), { kind: 'started', at: 50, job: 8, runner: foreign })).toBeNull()
    expect(nextSlot(slotIn('executing'), { kind: 'completed', at: 50, job: 7, runner: foreign })).toBeNull()
    const ofAnotherOwner = { id: runner.id, name: 'theirs' }
    expect(nextSlot(slotIn('registered'), { kind: 'started', at: 50, job: 8, runner: ofAnotherOwner })).toBeNull()
    expect(nextSlot(slotIn('executing'), { kind: 'completed', at: 50, job: 7, runner: ofAnotherOwner })).toBeNull()
  })

  it('never loses the id of its runner, so that a foreign runner cannot take its name', () => {
    const nameOnly = { id: null, name: runner.name }
    for (const kind of ['registered', 'started', 'completed'] as const) {
      expect(nextSlot(slotIn('minted'), { kind, at: 50, job: 7, runner: nameOnly })).toMatchObject({ runner })
    }
    const unnumbered: Slot = { ...facts, generation: 3, state: 'minted', intended: 7, runner: nameOnly, mintedAt: 20 }
    expect(nextSlot(unnumbered, events.registered)).toMatchObject({ runner })
  })

  it('is not ended by the completion of a job that it does not execute', () => {
    expect(nextSlot(slotIn('executing'), { kind: 'completed', at: 50, job: 8, runner })).toBeNull()
  })

  it('is not registered by a runner of another id that took its name', () => {
    expect(nextSlot(slotIn('minted'), { kind: 'registered', at: 50, runner: { id: 99, name: runner.name } })).toBeNull()
  })

  it('keeps its runner when its job is withdrawn, because the JIT configuration cannot be taken back', () => {
    const after = nextSlot(slotIn('registered'), events.withdrawn)
    expect(after).toMatchObject({ state: 'registered', intended: null, runner })
    expect(nextSlot(slotIn('registered'), { kind: 'withdrawn', at: 50, job: 8 })).toBeNull()
    expect(nextSlot(slotIn('claimed'), { kind: 'withdrawn', at: 50, job: 8 })).toBeNull()
  })

  it('keeps its intended and executed job when its pod is taken away', () => {
    expect(nextSlot(slotIn('minted'), events['pod-lost'])).toMatchObject({ intended: 7, executed: null, runner })
    expect(nextSlot(slotIn('executing'), events['pod-lost'])).toMatchObject({ intended: null, executed: 7, runner })
    expect(nextSlot(slotIn('warm'), events['pod-ended'])).toMatchObject({
      intended: null,
      executed: null,
      runner: null,
    })
  })

  it('learns after its end what its runner executed, once', () => {
    const reported = nextSlot(slotIn('lost'), events.started)
    expect(reported).toMatchObject({ state: 'lost', executed: 8, intended: null, endedAt: 40 })
    expect(nextSlot(reported, events.completed)).toBeNull()
    expect(nextSlot(slotIn('ended'), { kind: 'completed', at: 50, job: 7, runner: { id: 99, name: 'x' } })).toBeNull()
    const neverMinted: Slot = {
      ...facts,
      generation: 3,
      state: 'lost',
      executed: null,
      runner: null,
      intended: 7,
      endedAt: 40,
    }
    expect(nextSlot(neverMinted, events.started)).toBeNull()
  })

  it('has its intended job, its runner and whether it is still live', () => {
    expect(SLOT_STATES.map((state) => intendedJob(slotIn(state)))).toEqual([null, 7, 7, 7, null, 7, 7])
    expect(SLOT_STATES.map((state) => slotRunner(slotIn(state))?.id ?? null)).toEqual([null, null, 41, 41, 41, 41, 41])
    expect(SLOT_STATES.filter((state) => !isLive(slotIn(state)))).toEqual(['ended', 'lost'])
  })
})
