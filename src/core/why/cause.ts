import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'

export const CAUSE_KINDS = ['never-started', 'not-a-death', 'death', 'unknown'] as const
export type CauseKind = (typeof CAUSE_KINDS)[number]

/** One way in which a runner can end. Its file holds what speaks for it, what against, and what to do next. */
export type Cause = {
  /** As in docs/contracts/causes.md, and equal to the name of its file. */
  readonly id: string
  readonly kind: Exclude<CauseKind, 'unknown'>
  readonly meaning: string
  /** How a person tells it from its look-alikes, for the page of the cause. */
  readonly toldApart: string
  /** The sources that would settle it. */
  readonly settledBy: readonly string[]
  /** The pod's status alone is proof enough. For every other cause it counts for 0.6 at the most. */
  readonly isProvenByStatus?: true
  readonly weigh: (dossier: Dossier) => readonly Point[]
  readonly actor?: (dossier: Dossier) => string | null
  /** One sentence about this death; it begins with a capital and ends with a full stop. */
  readonly sentence: (dossier: Dossier) => string
  /** What to do next, fitting this evidence. */
  readonly next: (dossier: Dossier) => readonly string[]
}

export type Point =
  | { readonly kind: 'for'; readonly weight: number; readonly fact: Fact }
  /** Refutes: with one such fact the cause is out. There are no mild ones: evidence that is lost must never raise a cause. */
  | { readonly kind: 'against'; readonly fact: Fact }
  /** Seems to speak against it, and does not: told to the reader, without weight. */
  | { readonly kind: 'doubt'; readonly fact: Fact }
  /** Cannot be more certain than this, because these sources could not be asked, or this is not known. */
  | { readonly kind: 'limit'; readonly at: number; readonly why: string; readonly missing: readonly string[] }

export const WEIGHT = { decisive: 0.95, strong: 0.8, medium: 0.5, weak: 0.25 } as const

/** Above this a cause is named. What rests on absence alone, or could be refuted by a blind source, stays at it. */
export const NAMED_ABOVE = 0.5
const STATUS_ALONE = 0.6
const CERTAIN = 0.99

export function speaksFor(weight: number, facts: Fact | null | undefined | readonly Fact[]): readonly Point[] {
  return listOf(facts).map((fact) => ({ kind: 'for', weight, fact }))
}

export function speaksAgainst(facts: Fact | null | undefined | readonly Fact[]): readonly Point[] {
  return listOf(facts).map((fact) => ({ kind: 'against', fact }))
}

export function seemsAgainst(facts: Fact | null | undefined | readonly Fact[]): readonly Point[] {
  return listOf(facts).map((fact) => ({ kind: 'doubt', fact }))
}

/** Kept at 0.5 or lower while the condition holds. */
export function limitedWhile(
  condition: boolean,
  why: string,
  { missing = [], at = NAMED_ABOVE }: { readonly missing?: readonly string[]; readonly at?: number } = {},
): readonly Point[] {
  return condition ? [{ kind: 'limit', at, why, missing }] : []
}

function listOf(facts: Fact | null | undefined | readonly Fact[]): readonly Fact[] {
  if (facts === null || facts === undefined) return []
  return Array.isArray(facts) ? (facts as readonly Fact[]) : [facts as Fact]
}

/** Several facts of one source are one witness: the strongest counts. Witnesses are independent of each other. */
export function confidenceOf(
  points: readonly Point[],
  cause: Pick<Cause, 'isProvenByStatus'>,
  voiceOf: (fact: Fact) => string,
): number {
  if (points.some(({ kind }) => kind === 'against')) return 0
  const voices = new Map<string, number>()
  for (const point of points) {
    if (point.kind !== 'for') continue
    const voice = voiceOf(point.fact)
    const most =
      voice === 'kubernetes/pods' && cause.isProvenByStatus !== true
        ? Math.min(point.weight, STATUS_ALONE)
        : point.weight
    voices.set(voice, Math.max(voices.get(voice) ?? 0, most))
  }
  const doubt = [...voices.values()].reduce((rest, weight) => rest * (1 - weight), 1)
  const limits = points.flatMap((point) => (point.kind === 'limit' ? [point.at] : []))
  return Math.min(CERTAIN, 1 - doubt, ...limits)
}
