export type Deliveries = {
  /** A GUID that was seen before answers `repeated` and changes nothing. */
  readonly record: (delivery: Delivery) => Promise<'new' | 'repeated' | 'too-large'>
  /** What was recorded and not settled, oldest first. */
  readonly pending: (limit: number) => Promise<readonly Delivery[]>
  /** The first outcome stands. */
  readonly settle: (
    guid: string,
    outcome: { readonly at: number; readonly result: 'applied' | 'ignored' | 'refused'; readonly why: string | null },
  ) => Promise<void>
}

export type Delivery = {
  readonly guid: string
  readonly event: string
  readonly receivedAt: number
  readonly body: string
}

/** GitHub sends no more. */
export const MAX_DELIVERY_BYTES = 25 * 1024 * 1024
