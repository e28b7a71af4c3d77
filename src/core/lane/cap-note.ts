import { at, toFields, textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { Cap, CapChange } from './cap.ts'

/**
 * Annotations, because ARC hashes the spec and the labels of a set, and copies annotations to nothing: a note alone makes no
 * new listener. Each is written in the same patch as the bounds it is about, so a crash cannot separate them.
 */
export const NOTE_KEYS = { quiesced: 'signalbox.dev/lane-quiesced', cap: 'signalbox.dev/lane-cap' } as const
export type NoteKind = keyof typeof NOTE_KEYS

export type CapNote = CapChange & {
  /** Of the ledger: which attempt wrote it. */
  readonly run: string
  readonly by: string
  /** RFC 3339. */
  readonly at: string
}

export type NoteRead =
  | { readonly kind: 'note'; readonly note: CapNote }
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }

export function printNote({ before, after, run, by, at: time }: CapNote): string {
  return JSON.stringify({ before, after, run, by, at: time })
}

const LONGEST_NOTE = 4_000

export function readNote(set: Fields, kind: NoteKind): NoteRead {
  const text = textAt(set, 'metadata', 'annotations', NOTE_KEYS[kind])
  if (text === null) return { kind: 'none' }
  const fields = text.length > LONGEST_NOTE ? {} : parse(text)
  const [before, after] = [readBounds(fields, 'before'), readBounds(fields, 'after')]
  const run = textAt(fields, 'run')
  if (before === null || after === null || run === null) return { kind: 'malformed' }
  const by = textAt(fields, 'by') ?? 'unknown'
  return { kind: 'note', note: { before, after, run, by, at: textAt(fields, 'at') ?? 'an unknown time' } }
}

function parse(text: string): Fields {
  try {
    return toFields(JSON.parse(text))
  } catch {
    return {}
  }
}

function readBounds(fields: Fields, key: 'before' | 'after'): Cap | null {
  const [min, max] = [at(fields, key, 'min'), at(fields, key, 'max')]
  return isBound(min) && isBound(max) ? { min, max } : null
}

function isBound(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
}
