/** `npm run test:long` sets it. Everything that a fast run samples reads it, so that one switch runs all in full. */
export const LONG_RUN = process.env['SIGNALBOX_TEST_LONG'] === '1'

/** A fast run draws one in so many. */
const ONE_IN = 10

/** How often a random test draws: all of them in a long run, a sample in a fast one. */
export function draws(all: number, least = 20): number {
  return LONG_RUN ? all : Math.min(all, Math.max(least, Math.ceil(all / ONE_IN)))
}

/** Every one in a long run, one in `step` in a fast one. */
export function sampled<T>(all: readonly T[], step: number): readonly T[] {
  return LONG_RUN ? all : all.filter((_, index) => index % step === 0)
}
