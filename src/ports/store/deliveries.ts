import type { DeliveryOutcome } from '#/core/webhooks/outcome.ts'

export type Deliveries = {
  /**
   * A GUID that was seen before answers `repeated` and changes nothing; one whose outcome is open (see OPEN_OUTCOMES) is
   * pending `again`, with its first body.
   */
  readonly record: (delivery: Delivery) => Promise<'new' | 'repeated' | 'again' | 'too-large'>
  /** What was recorded and not settled, oldest first. */
  readonly pending: (limit: number) => Promise<readonly Delivery[]>
  /**
   * Those that are due, oldest first, and no two of one job: of each job the oldest that is not settled. They belong to
   * the caller until `until`, and are due again then, as after a crash; each take counts as an attempt.
   */
  readonly take: (request: {
    readonly at: number
    readonly until: number
    readonly limit: number
  }) => Promise<readonly TakenDelivery[]>
  /** Due again at a time. `attempt` is the one that was taken: a later one has taken the delivery over. */
  readonly postpone: (
    guid: string,
    next: {
      readonly attempt: number
      readonly at: number
      readonly why: string
      /** False: it was no fault of the delivery, and the attempt does not count. */
      readonly counts: boolean
    },
  ) => Promise<void>
  /** The first outcome stands: false where there was one. */
  readonly settle: (
    guid: string,
    settled: { readonly at: number; readonly outcome: DeliveryOutcome; readonly why: string | null },
  ) => Promise<boolean>
  /** Makes the latest of those with one of these outcomes pending again, and answers how many. */
  readonly reopen: (request: DeliveryFilter & { readonly receivedSince: number }) => Promise<number>
  /** The latest first, without their bodies. */
  readonly list: (filter: DeliveryFilter) => Promise<readonly DeliveryRow[]>
}

export type DeliveryFilter = { readonly outcomes: readonly DeliveryOutcome[]; readonly limit: number }

export type Delivery = {
  readonly guid: string
  readonly event: string
  readonly receivedAt: number
  /** Deliveries of one job are applied one after the other; null: of no job. */
  readonly job: number | null
  readonly repository: string | null
  readonly body: string
}

export type TakenDelivery = Delivery & {
  /** 1 for the first. */
  readonly attempts: number
}

export type DeliveryRow = Omit<Delivery, 'body'> & {
  readonly attempts: number
  readonly settledAt: number
  readonly outcome: DeliveryOutcome
  readonly why: string | null
}

/** GitHub sends no more. */
export const MAX_DELIVERY_BYTES = 25 * 1024 * 1024
