import type { Observed } from '#/core/basics/observed.ts'
import type { ProbeAnswer } from '#/core/fleet/probe-answer.ts'
import { blindFinding } from './finding.ts'
import type { Finding } from './finding.ts'

/** Whoever asked and got no answer from some of them must hear of it. */
export function unanswered(answers: Observed<readonly ProbeAnswer[]> | undefined): readonly Finding[] {
  if (answers?.kind !== 'seen') return []
  return answers.value.flatMap(({ sets, trouble }) =>
    trouble === null ? [] : [blindFinding('probe', `${sets.map(({ name }) => name).join(', ')}: ${trouble}`)],
  )
}
