import { describe, expect, it } from 'vitest'
import { describeChange, parseChange } from './cap.ts'
import type { Cap, CapChange } from './cap.ts'
import { NOTE_KEYS, printNote, readNote } from './cap-note.ts'
import type { CapNote, NoteRead } from './cap-note.ts'
import { planChange } from './plan-change.ts'
import type { LaneOrder, LaneState } from './plan-change.ts'

const OPEN: Cap = { min: 2, max: 8 }
const NONE: NoteRead = { kind: 'none' }

function noted(before: Cap, after: Cap): NoteRead {
  return { kind: 'note', note: { before, after, run: 'r', by: 'p', at: '2026-01-01T00:00:00Z' } }
}

function state(cap: Cap, notes: Partial<LaneState['notes']> = {}, kept: Partial<LaneState['kept']> = {}): LaneState {
  return { cap, notes: { quiesced: NONE, cap: NONE, ...notes }, kept: { quiesced: null, cap: null, ...kept } }
}

const CLOSED: Cap = { min: 0, max: 0 }
const change = (before: Cap, after: Cap): CapChange => ({ before, after })

describe('the plan for a lane', () => {
  it.each<readonly [string, LaneOrder, LaneState, object]>([
    [
      'quiesce closes both bounds and keeps them',
      { kind: 'quiesce' },
      state(OPEN),
      { before: OPEN, after: CLOSED, note: change(OPEN, CLOSED) },
    ],
    [
      'quiesce again does nothing',
      { kind: 'quiesce' },
      state(CLOSED, { quiesced: noted(OPEN, CLOSED) }),
      { kind: 'nothing' },
    ],
    [
      'resume restores',
      { kind: 'resume' },
      state(CLOSED, { quiesced: noted(OPEN, CLOSED) }),
      { after: OPEN, note: null },
    ],
    [
      'resume restores an unset maximum',
      { kind: 'resume' },
      state(CLOSED, { quiesced: noted({ min: null, max: null }, CLOSED) }),
      { after: { min: null, max: null } },
    ],
    [
      'resume works by the ledger alone',
      { kind: 'resume' },
      state(CLOSED, {}, { quiesced: change(OPEN, CLOSED) }),
      { after: OPEN },
    ],
    [
      'resume refuses what somebody else changed',
      { kind: 'resume' },
      state({ min: 0, max: 3 }, { quiesced: noted(OPEN, CLOSED) }),
      { kind: 'refused', decidedBy: 'unchanged-by-others' },
    ],
    ['resume refuses what nobody quiesced', { kind: 'resume' }, state(OPEN), { kind: 'refused' }],
    [
      'resume refuses a note that cannot be read',
      { kind: 'resume' },
      state(CLOSED, { quiesced: { kind: 'malformed' } }),
      { kind: 'refused' },
    ],
    ['cap lowers the minimum with the maximum', { kind: 'cap', max: 1 }, state(OPEN), { after: { min: 1, max: 1 } }],
    [
      'a second cap keeps the first value',
      { kind: 'cap', max: 5 },
      state({ min: 1, max: 1 }, { cap: noted(OPEN, { min: 1, max: 1 }) }),
      { after: { min: 2, max: 5 }, note: change(OPEN, { min: 2, max: 5 }) },
    ],
    [
      'a cap over what somebody else set keeps theirs',
      { kind: 'cap', max: 5 },
      state({ min: 2, max: 6 }, { cap: noted(OPEN, { min: 2, max: 4 }) }),
      { note: change({ min: 2, max: 6 }, { min: 2, max: 5 }) },
    ],
    ['the same cap does nothing', { kind: 'cap', max: 8 }, state(OPEN), { kind: 'nothing' }],
    [
      'cap refuses a quiesced set',
      { kind: 'cap', max: 4 },
      state(CLOSED, { quiesced: noted(OPEN, CLOSED) }),
      { kind: 'refused', decidedBy: 'not-quiesced' },
    ],
    [
      'restore refuses a quiesced set',
      { kind: 'restore' },
      state(CLOSED, { quiesced: noted(OPEN, CLOSED) }),
      { kind: 'refused', decidedBy: 'not-quiesced' },
    ],
    [
      'restore restores',
      { kind: 'restore' },
      state({ min: 2, max: 4 }, { cap: noted(OPEN, { min: 2, max: 4 }) }),
      { after: OPEN, note: null },
    ],
    [
      'restore refuses what somebody else changed',
      { kind: 'restore' },
      state({ min: 2, max: 5 }, { cap: noted(OPEN, { min: 2, max: 4 }) }),
      { kind: 'refused', decidedBy: 'unchanged-by-others' },
    ],
    [
      'restore removes the note if the value is back',
      { kind: 'restore' },
      state(OPEN, { cap: noted(OPEN, { min: 2, max: 4 }) }),
      { after: OPEN, note: null },
    ],
  ])('%s', (_, order, given, expected) => {
    expect(planChange(order, given)).toMatchObject(expected)
  })
})

describe('the old value', () => {
  it.each([
    [OPEN, CLOSED],
    [
      { min: null, max: null },
      { min: null, max: 4 },
    ],
  ])('%j → %j comes back from the words of the ledger and from the annotation', (before, after) => {
    expect(parseChange(describeChange({ before, after }))).toEqual({ before, after })
    const note: CapNote = { before, after, run: 'r', by: 'p', at: 't' }
    const set = { metadata: { annotations: { [NOTE_KEYS.cap]: printNote(note) } } }
    expect(readNote(set, 'cap')).toEqual({ kind: 'note', note })
  })

  it.each([
    '',
    'x',
    '{}',
    '{"before":{"min":-1,"max":1},"after":{"min":0,"max":0},"run":"r"}',
    `"${'x'.repeat(5000)}"`,
  ])('is not guessed from the annotation %s', (text) => {
    const set = { metadata: { annotations: { [NOTE_KEYS.cap]: text } } }
    expect(readNote(set, 'cap').kind).toBe(text === '' ? 'none' : 'malformed')
  })
})
