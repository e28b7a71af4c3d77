export type Ledger = {
  /** Append-only: every destructive act, permitted or refused, with its proofs. */
  readonly append: (entry: LedgerEntry) => Promise<number>
  /** The latest entry comes first. */
  readonly list: (filter: {
    readonly since?: number
    readonly subject?: string
    readonly limit: number
  }) => Promise<readonly (LedgerEntry & { readonly id: number })[]>
}

export type LedgerEntry = {
  readonly at: number
  readonly act: string
  readonly subject: string
  readonly actor: string
  readonly outcome: 'permitted' | 'refused' | 'done' | 'failed'
  readonly proofs: readonly { readonly gate: string; readonly holds: boolean; readonly why: string }[]
}
