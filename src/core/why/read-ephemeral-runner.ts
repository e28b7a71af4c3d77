import { at, fieldsOf, numberAt, textAt } from '#/core/fields.ts'
import type { EphemeralRunnerFacts } from '#/core/why/evidence.ts'

/** ARC's record of one runner. Versions differ in which fields say that it had a job; any of them will do. */
export function readEphemeralRunner(object: unknown): EphemeralRunnerFacts {
  const status = at(object, 'status')
  return {
    phase: textAt(status, 'phase'),
    reason: textAt(status, 'reason'),
    message: textAt(status, 'message'),
    hasJob:
      (numberAt(status, 'jobRequestId') ?? 0) > 0 ||
      (numberAt(status, 'workflowRunId') ?? 0) > 0 ||
      textAt(status, 'jobId') !== null,
    failures: Object.keys(fieldsOf(at(status, 'failures'))).length,
  }
}
