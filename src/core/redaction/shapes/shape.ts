import { characters, isMember, runEnd } from './characters.ts'
import type { Characters } from './characters.ts'
import { isEndOfLine } from './line-ends.ts'

/**
 * The form of a credential, in a notation that is a small part of regular expressions: literals and runs
 * (`ghp_[A-Za-z0-9]{36,}`). There is nothing to go back to: a run takes all it can, and what follows a run of variable
 * length begins with a character that the run does not have. So a match reads each character once.
 */
export type Shape = {
  readonly notation: string
  /** Characters before the literal: a run of fixed length. */
  readonly before: Run | null
  /** What to search for. */
  readonly literal: string
  readonly rest: readonly Step[]
}

type Run = { readonly members: Characters; readonly least: number; readonly most: number }
type Step = { readonly literal: string } | Run

/**
 * Where each unlimited run began and ended last, and in which search. Searches go forward, so a run is read once for all
 * starts in it.
 */
export type ShapeMemory = { readonly shape: Shape; readonly runs: Int32Array }

const STEP = /\[((?:[^\]\\]|\\.)+)\](?:\{(\d+)(,?)(\d*)\})?|((?:\\.|[^[\]{}()|*+?^$\\.])+)/y
/** A search for less would stop everywhere. */
const SHORTEST_LITERAL = 3

export function parseShape(notation: string): Shape {
  const steps = readSteps(notation)
  for (const [index, step] of steps.entries()) requireNoWayBack(notation, step, steps[index + 1])
  const before = steps[0] !== undefined && 'members' in steps[0] ? steps[0] : null
  const [literal, ...rest] = before === null ? steps : steps.slice(1)
  if (literal === undefined || !('literal' in literal) || literal.literal.length < SHORTEST_LITERAL)
    throw new TypeError(`${notation} has no literal of ${SHORTEST_LITERAL} characters to search for`)
  if (before !== null && before.least !== before.most) throw new TypeError(`${notation} begins with an open run`)
  return { notation, before, literal: literal.literal, rest }
}

function readSteps(notation: string): readonly Step[] {
  const steps: Step[] = []
  STEP.lastIndex = 0
  while (STEP.lastIndex < notation.length) {
    const [whole, members, least, comma, most, literal] = STEP.exec(notation) ?? []
    if (whole === undefined) throw new TypeError(`${notation} is not a shape: literals and runs only`)
    if (literal !== undefined) steps.push({ literal: literal.replaceAll(/\\(.)/g, '$1') })
    else steps.push(toRun(members ?? '', { least, isOpen: comma === ',', most }))
  }
  return steps
}

function toRun(
  members: string,
  { least = '1', isOpen, most = '' }: { least?: string | undefined; isOpen: boolean; most?: string | undefined },
): Run {
  const upTo = most === '' ? (isOpen ? Number.POSITIVE_INFINITY : Number(least)) : Number(most)
  return { members: characters(members), least: Number(least), most: upTo }
}

function requireNoWayBack(notation: string, step: Step, next: Step | undefined): void {
  if ('literal' in step || next === undefined || step.least === step.most) return
  const isClear = 'literal' in next && !isMember(next.literal, 0, step.members)
  if (!isClear) throw new TypeError(`${notation} could go back: after an open run comes what the run does not have`)
}

export type ShapeMatch = {
  readonly from: number
  readonly to: number
  /** The end of the line cuts it off. */
  readonly isCut: boolean
}

export function remembering(shape: Shape): ShapeMemory {
  return { shape, runs: new Int32Array(3 * shape.rest.length) }
}

/**
 * The match whose literal begins at `at`, or null. A value that the end of the text cuts off also matches: Kubernetes
 * truncates messages.
 */
export function matchShape({ shape, runs }: ShapeMemory, text: string, at: number, search: number): ShapeMatch | null {
  if (!text.startsWith(shape.literal, at)) return null
  const from = startOf(shape, text, at)
  if (from < 0) return null
  const body = at + shape.literal.length
  let to = body
  for (const [index, step] of shape.rest.entries()) {
    const start = to
    if ('literal' in step) to = literalEnd(text, start, step.literal)
    else {
      to = rememberedEnd(text, start, step, { runs, search, first: 3 * index })
      if (to - start < step.least) return isTruncated(text, body, to) ? { from, to, isCut: true } : null
    }
    if (to < 0) return null
  }
  return { from, to, isCut: false }
}

function startOf({ before }: Shape, text: string, at: number): number {
  if (before === null) return at
  const from = at - before.least
  return from >= 0 && runEnd(text, from, before.members, before.least) === at ? from : -1
}

function literalEnd(text: string, at: number, literal: string): number {
  return text.startsWith(literal, at) ? at + literal.length : -1
}

type Place = { readonly runs: Int32Array; readonly search: number; readonly first: number }

function rememberedEnd(text: string, from: number, run: Run, { runs, search, first }: Place): number {
  if (run.most !== Number.POSITIVE_INFINITY) return runEnd(text, from, run.members, run.most)
  const [start = 0, end = 0, last = 0] = [runs[first], runs[first + 1], runs[first + 2]]
  if (last === search && from >= start && from < end) return end
  const found = runEnd(text, from, run.members)
  runs[first] = from
  runs[first + 1] = found
  runs[first + 2] = search
  return found
}

const SHORTEST_REST = 6

/** The end of the line cut it off. Words follow a prefix too (`npm_config`); a value has digits. */
function isTruncated(text: string, from: number, to: number): boolean {
  return to - from >= SHORTEST_REST && isEndOfLine(text, to) && /\d/.test(text.slice(from, from + 64))
}
