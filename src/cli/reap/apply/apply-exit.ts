import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { Applied } from './applied.ts'

/** What failed weighs most, because somebody has to look. Only blind ones: nothing could be judged. */
export function applyExit(
  applied: readonly Pick<Applied, 'decision' | 'freed'>[],
  { isUnjudged }: { readonly isUnjudged: boolean },
): ExitCode {
  const decisions = new Set(applied.map(({ decision }) => decision))
  if (decisions.has('failed') || applied.some(({ freed }) => freed?.kind === 'still-wedged')) return EXIT.failed
  if (decisions.has('refused')) return EXIT.refused
  if (decisions.has('blind')) return decisions.size > 1 ? EXIT.refused : EXIT.blind
  return applied.length === 0 && isUnjudged ? EXIT.blind : EXIT.ok
}
