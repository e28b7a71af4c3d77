import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'

/** The refusal that was expected; anything else fails the test. */
export function expectRefusal(outcome: Refusal | { readonly kind: string }): Refusal {
  if (outcome.kind === 'refused' && 'why' in outcome) return outcome
  throw new Error(`expected a refusal, not ${outcome.kind}`)
}
