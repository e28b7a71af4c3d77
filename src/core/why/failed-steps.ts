import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'

/** Log lines and GitHub's times are in whole seconds of different clocks. */
const BLUR_MS = 3000

/** Those that a failed step printed: what a step prints that then succeeds did no harm. All, if GitHub's steps are not known. */
export function inFailedSteps(d: Dossier, clues: readonly Fact[]): readonly Fact[] {
  const failed = (d.job?.steps ?? []).filter(({ conclusion }) => conclusion === 'failure')
  if (failed.length === 0) return clues
  return clues.filter(({ at, source }) => {
    if (at === null || !source.startsWith('github/')) return true
    return failed.some(
      ({ startedAt, completedAt }) =>
        at >= (startedAt ?? -Infinity) - BLUR_MS && at <= (completedAt ?? Infinity) + BLUR_MS,
    )
  })
}

/** A certificate that the job needed was not trusted. */
export function distrusted(d: Dossier): readonly Fact[] {
  return inFailedSteps(d, d.subjectClues('certificate-not-trusted'))
}
