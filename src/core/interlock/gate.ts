import { describeReason } from '#/core/basics/observed.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { CandidateSnapshot } from './candidate-snapshot.ts'

/** In the order in which they are checked: the first that refuses decides. */
export const GATE_IDS = [
  'identity',
  'no-job-on-record',
  'github-not-busy',
  'github-no-job-names-it',
  'github-deregistered',
  'no-worker-process',
  'never-started',
  'old-enough',
  'listener-known',
  'complete-read',
  'within-cap',
  'evidence-stored',
] as const
export type GateId = (typeof GATE_IDS)[number]

/** A condition with a proof. Pure: it looks at the snapshot of one candidate only. */
export type Gate = {
  readonly id: GateId
  /** As in docs/contracts/findings.md. */
  readonly proof: string
  /** For the docs page: how it decides and what it does not prove. */
  readonly about: string
  /** What lets it see when it is blind. */
  readonly toSeeIt: string
  /** The act itself makes the proof: before the act there is none. */
  readonly isStep?: true
  readonly check: (candidate: CandidateSnapshot) => GateResult
  readonly examples: Readonly<Record<GateResult['kind'], readonly GateExample[]>>
}

/** Each result with the time of the fact that it rests on. A blind gate refuses. */
export type GateResult =
  | { readonly kind: 'holds'; readonly proof: string; readonly at: number }
  | { readonly kind: 'refuses'; readonly reason: string; readonly at: number }
  | { readonly kind: 'blind'; readonly reason: BlindReason; readonly at: number }

/** What differs from the example in `example-candidate.ts`. */
export type GateExample = { readonly when: string; readonly candidate: Partial<CandidateSnapshot> }

export function holds(proof: string, { at }: { readonly at: number }): GateResult {
  return { kind: 'holds', proof, at }
}

export function refuses(reason: string, { at }: { readonly at: number }): GateResult {
  return { kind: 'refuses', reason, at }
}

export function cannotSee(reason: BlindReason, { at }: { readonly at: number }): GateResult {
  return { kind: 'blind', reason, at }
}

export function describeResult(result: GateResult): string {
  switch (result.kind) {
    case 'holds':
      return result.proof
    case 'refuses':
      return result.reason
    case 'blind':
      return result.reason.code === 'not-asked' ? result.reason.detail : describeReason(result.reason)
  }
}
