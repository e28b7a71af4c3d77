/** One holder at a time. */
export type Leadership = {
  /**
   * Null when the signal ends it. `former`: the term that this process lost while the store was unreachable, and whose work
   * it goes on with in part.
   */
  readonly campaign: (signal: AbortSignal, former?: FormerTerm) => Promise<Term | null>
}

export type Term = {
  /** Grows by one with each leader. */
  readonly epoch: number
  /** Resolves when the lock can no longer be trusted. */
  readonly lost: Promise<Loss>
  readonly resign: () => Promise<void>
}

/** `replaced`: the store answered that another one leads, or has led. `unreachable`: it did not answer, and nobody knows. */
export type Loss = { readonly kind: 'resigned' | 'replaced' | 'unreachable'; readonly why: string }

export type FormerTerm = {
  readonly epoch: number
  /** The store answered that another one leads, or has led since. */
  readonly replaced: (holder: string) => void
}

/** The lease of the one leader that performs the loops. */
export const LEADER_LEASE = 'signalbox'
