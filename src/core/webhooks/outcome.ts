/** What became of a stored delivery. docs/webhooks.md */
export const DELIVERY_OUTCOMES = [
  'applied',
  'duplicate',
  'no-installation',
  'no-pool',
  'ambiguous-pool',
  'unknown-runner',
  'stale',
  'parked',
] as const

export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number]

/** Nothing was applied, and a change of the pools or another attempt may change that: another delivery is looked at anew. */
export const UNMATCHED_OUTCOMES = [
  'no-installation',
  'no-pool',
  'ambiguous-pool',
  'unknown-runner',
] as const satisfies readonly DeliveryOutcome[]

export const OPEN_OUTCOMES: readonly DeliveryOutcome[] = [...UNMATCHED_OUTCOMES, 'parked']
