import { CLOSED, describeCap, isSameCap } from './cap.ts'
import type { Cap, CapChange } from './cap.ts'
import type { NoteKind, NoteRead } from './cap-note.ts'

export type LaneOrder =
  | { readonly kind: 'quiesce' | 'resume' | 'restore' }
  | { readonly kind: 'cap'; readonly max: number }

/** As the ledger names what asked for it. */
export const LANE_COMMANDS = {
  quiesce: 'lane quiesce',
  resume: 'lane resume',
  cap: 'lane cap',
  restore: 'lane cap restore',
} as const satisfies Record<LaneOrder['kind'], string>

export type LaneState = {
  readonly cap: Cap
  readonly notes: Readonly<Record<NoteKind, NoteRead>>
  /** What the ledger knows of the change that is still in force; null if none is. */
  readonly kept: Readonly<Record<NoteKind, CapChange | null>>
}

export type LanePlan =
  /** `note`: what is kept for the way back; null: the note goes. */
  | (CapChange & { readonly kind: 'change'; readonly noteKind: NoteKind; readonly note: CapChange | null })
  | { readonly kind: 'nothing'; readonly why: string }
  | {
      readonly kind: 'refused'
      readonly decidedBy: string
      /** A gate could not see. */
      readonly isBlind: boolean
      readonly why: string
      readonly next: string
    }

export const UNCHANGED_GATE = 'unchanged-by-others'

export function planChange(order: LaneOrder, state: LaneState): LanePlan {
  switch (order.kind) {
    case 'quiesce':
      return planQuiesce(state)
    case 'resume':
      return planReturn(state, 'quiesced')
    case 'cap':
      return isQuiesced(state) ? refuseQuiesced() : planCap(state, order.max)
    case 'restore':
      return isQuiesced(state) ? refuseQuiesced() : planReturn(state, 'cap')
  }
}

function planQuiesce({ cap, notes }: LaneState): LanePlan {
  if (isSameCap(cap, CLOSED)) {
    const own = notes.quiesced.kind === 'note'
    return {
      kind: 'nothing',
      why: own ? 'it is quiesced already' : 'it takes no jobs already: maxRunners is 0, but Signalbox did not set it',
    }
  }
  const change = { before: cap, after: CLOSED }
  return { kind: 'change', ...change, noteKind: 'quiesced', note: change }
}

/** The first value stays the one to go back to, also after a second cap. */
function planCap({ cap, notes }: LaneState, max: number): LanePlan {
  const own = notes.cap.kind === 'note' && isSameCap(notes.cap.note.after, cap) ? notes.cap.note : null
  const base = own === null ? cap : own.before
  // A listener whose minimum is above its maximum ends at once, for ever.
  const after = { min: base.min === null ? null : Math.min(base.min, max), max }
  if (isSameCap(cap, after)) return { kind: 'nothing', why: `it has ${describeCap(after)} already` }
  return { kind: 'change', before: cap, after, noteKind: 'cap', note: { before: base, after } }
}

function planReturn({ cap, notes, kept }: LaneState, noteKind: NoteKind): LanePlan {
  const read = notes[noteKind]
  const change = read.kind === 'note' ? read.note : kept[noteKind]
  if (change === null) return refuseUnknown(noteKind, read)
  const { before, after } = change
  const plan = { kind: 'change', before: cap, after: before, noteKind, note: null } as const
  if (isSameCap(cap, after)) return plan
  if (isSameCap(cap, before)) {
    return read.kind === 'note' ? plan : { kind: 'nothing', why: `it has ${describeCap(before)} again already` }
  }
  return {
    kind: 'refused',
    decidedBy: UNCHANGED_GATE,
    isBlind: false,
    why: `we set ${describeCap(after)}, and now it has ${describeCap(cap)}: somebody else changed it`,
    next: `before our change it had ${describeCap(before)}; set what is right where the set is declared, and remove the annotation`,
  }
}

function refuseUnknown(noteKind: NoteKind, { kind }: NoteRead): LanePlan {
  const what = noteKind === 'quiesced' ? 'quiesced' : 'capped'
  return {
    kind: 'refused',
    decidedBy: UNCHANGED_GATE,
    isBlind: false,
    why:
      kind === 'malformed'
        ? 'the annotation with the old value cannot be read, and the ledger has none'
        : `neither an annotation nor the ledger says that Signalbox ${what} it`,
    next: 'set minRunners and maxRunners where the set is declared',
  }
}

function isQuiesced({ cap, notes }: LaneState): boolean {
  return notes.quiesced.kind === 'note' && isSameCap(notes.quiesced.note.after, cap)
}

function refuseQuiesced(): LanePlan {
  return {
    kind: 'refused',
    decidedBy: 'not-quiesced',
    isBlind: false,
    why: 'it is quiesced: a new maximum would let jobs in again',
    next: 'resume it first: signalbox lane resume SET',
  }
}
