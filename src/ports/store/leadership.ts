/** One holder at a time. The promise of `lost` resolves when the lock can no longer be trusted. */
export type Leadership = {
  readonly campaign: (
    signal: AbortSignal,
  ) => Promise<{ readonly epoch: number; readonly lost: Promise<string>; readonly resign: () => Promise<void> } | null>
}
