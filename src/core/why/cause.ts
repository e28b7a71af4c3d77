import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'

export const CAUSE_KINDS = ['never-started', 'not-a-death', 'death', 'unknown'] as const
export type CauseKind = (typeof CAUSE_KINDS)[number]

/** One way in which a runner can end. Its file holds what supports it, what contradicts it, and what to do next. */
export type Cause = {
  /** As in docs/contracts/causes.md, and the same as the file name. */
  readonly id: string
  readonly kind: Exclude<CauseKind, 'unknown'>
  readonly meaning: string
  /** How to distinguish it from similar causes, for its page in docs/causes. */
  readonly distinguishedBy: string
  /** The sources that would prove or refute it. */
  readonly settledBy: readonly string[]
  /** The pod's status alone is proof. For every other cause it counts for at most 0.6. */
  readonly isProvenByStatus?: true
  readonly weigh: (dossier: Dossier) => readonly Point[]
  readonly actor?: (dossier: Dossier) => string | null
  /** One sentence about this death; it begins with a capital and ends with a full stop. */
  readonly sentence: (dossier: Dossier) => string
  /** What to do next, for this evidence. */
  readonly next: (dossier: Dossier) => readonly string[]
}

export type Point =
  | { readonly kind: 'for'; readonly weight: number; readonly fact: Fact }
  /** Refutes: one such fact rules the cause out. There are no mild ones, because lost evidence must never raise a cause. */
  | { readonly kind: 'against'; readonly fact: Fact }
  /** Seems to contradict it, and does not: shown to the reader, without weight. */
  | { readonly kind: 'doubt'; readonly fact: Fact }
  /** The confidence cannot go above this, because these sources are blind or this is not known. */
  | { readonly kind: 'limit'; readonly at: number; readonly why: string; readonly missing: readonly string[] }

export const WEIGHT = { decisive: 0.95, strong: 0.8, medium: 0.5, weak: 0.25 } as const

/** A cause is named above this. One that rests on absence alone, or that a blind source could refute, stays at it. */
export const NAMED_ABOVE = 0.5
const STATUS_ALONE = 0.6
const CERTAIN = 0.99

export function supports(weight: number, facts: Fact | null | undefined | readonly Fact[]): readonly Point[] {
  return toList(facts).map((fact) => ({ kind: 'for', weight, fact }))
}

export function contradicts(facts: Fact | null | undefined | readonly Fact[]): readonly Point[] {
  return toList(facts).map((fact) => ({ kind: 'against', fact }))
}

export function seemsToContradict(facts: Fact | null | undefined | readonly Fact[]): readonly Point[] {
  return toList(facts).map((fact) => ({ kind: 'doubt', fact }))
}

/** Keeps the confidence at 0.5 or lower while the condition holds. */
export function limitedWhile(
  condition: boolean,
  why: string,
  { missing = [], at = NAMED_ABOVE }: { readonly missing?: readonly string[]; readonly at?: number } = {},
): readonly Point[] {
  return condition ? [{ kind: 'limit', at, why, missing }] : []
}

function toList(facts: Fact | null | undefined | readonly Fact[]): readonly Fact[] {
  if (facts === null || facts === undefined) return []
  return Array.isArray(facts) ? (facts as readonly Fact[]) : [facts as Fact]
}

/** Several facts of one source count once, with the strongest weight. Sources are independent of each other. */
export function computeConfidence(
  points: readonly Point[],
  cause: Pick<Cause, 'isProvenByStatus'>,
  sourceGroup: (fact: Fact) => string,
): number {
  if (points.some(({ kind }) => kind === 'against')) return 0
  const groups = new Map<string, number>()
  for (const point of points) {
    if (point.kind !== 'for') continue
    const group = sourceGroup(point.fact)
    const most =
      group === 'kubernetes/pods' && cause.isProvenByStatus !== true
        ? Math.min(point.weight, STATUS_ALONE)
        : point.weight
    groups.set(group, Math.max(groups.get(group) ?? 0, most))
  }
  const doubt = [...groups.values()].reduce((rest, weight) => rest * (1 - weight), 1)
  const limits = points.flatMap((point) => (point.kind === 'limit' ? [point.at] : []))
  return Math.min(CERTAIN, 1 - doubt, ...limits)
}
