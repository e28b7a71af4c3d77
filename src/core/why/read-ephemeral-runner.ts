import { at, toFields, textAt } from '#/core/basics/fields.ts'
import { recordedJob } from '#/core/github/recorded-job.ts'
import type { EphemeralRunnerFacts } from '#/core/why/evidence.ts'

/** ARC's record of one runner. */
export function readEphemeralRunner(object: unknown): EphemeralRunnerFacts {
  const status = at(object, 'status')
  return {
    phase: textAt(status, 'phase'),
    reason: textAt(status, 'reason'),
    message: textAt(status, 'message'),
    job: recordedJob(object),
    failures: Object.keys(toFields(at(status, 'failures'))).length,
  }
}
