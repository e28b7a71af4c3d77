export type Breakers = {
  readonly get: (key: string) => Promise<BreakerRow | null>
  readonly list: () => Promise<readonly BreakerRow[]>
  /** Compare-and-set on the generation; generation 0 means "there is none yet". */
  readonly put: (row: BreakerRow) => Promise<'committed' | 'stale'>
}

export type BreakerRow = {
  readonly key: string
  readonly generation: number
  readonly failures: number
  readonly openUntil: number | null
  readonly why: string | null
  readonly changedAt: number
}
