import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { ReapAnswer } from './look.ts'

/** A blind gate refuses too; if nothing but blind ones decided, nothing could be judged. */
export function reapExit({ planned, unjudged }: Pick<ReapAnswer, 'planned' | 'unjudged'>): ExitCode {
  const decisions = new Set(planned.map(({ decision }) => decision))
  if (decisions.has('refused')) return EXIT.refused
  if (decisions.has('blind')) return decisions.has('would-remove') ? EXIT.refused : EXIT.blind
  return planned.length === 0 && unjudged.length > 0 ? EXIT.blind : EXIT.ok
}
