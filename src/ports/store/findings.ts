export type Findings = {
  /** The present findings of one audit replace its former ones; what stays keeps its first time. */
  readonly replace: (audit: string, at: number, findings: readonly FindingRow[]) => Promise<void>
  readonly list: (filter: {
    readonly audit?: string
    readonly limit: number
  }) => Promise<
    readonly (FindingRow & { readonly audit: string; readonly firstSeenAt: number; readonly lastSeenAt: number })[]
  >
}

export type FindingRow = {
  readonly key: string
  readonly class: string
  readonly severity: string
  readonly document: unknown
}
