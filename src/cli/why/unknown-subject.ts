import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { CASE_COUNTS } from '#/cli/api-client/stored-death.ts'
import type { TemporaryBundle } from '#/cli/collect/temporary-bundle.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { allOf } from '#/cli/why/from-store.ts'
import { parseSubjectArgument } from '#/core/evidence/subject-argument.ts'
import { runIn } from '#/core/evidence/subject-run.ts'

/** Of a subject that nothing live knows, and nobody recorded. */
export function unknownSubject(
  argument: string,
  { unfound, meta }: Pick<TemporaryBundle, 'unfound' | 'meta'>,
): CommandFailure {
  const jobs = meta?.sources.get('github/jobs')
  const kind = parseSubjectArgument(argument).kind
  const advice =
    kind === 'job' || kind === 'run'
      ? [...(jobs?.kind === 'blind' ? [`github/jobs: ${jobs.reason}`] : []), ...adviceOnJob(argument)]
      : [
          'a pod that is gone leaves events for an hour; give --last-seen, --audit-log, or the address of the job',
          'what was recorded: signalbox deaths --kind all',
        ]
  return new CommandFailure(EXIT.blind, `nothing that was read knows ${unfound.join(', ')}`, advice)
}

function adviceOnJob(argument: string): readonly string[] {
  const run = runIn(argument)
  if (run === null) {
    return ['give the address of the job or of its run, or the pod', 'what was recorded: signalbox deaths --kind all']
  }
  const recorded = `what was recorded: ${allOf('--job', argument)}`
  return ['without GitHub, give the pod: signalbox why POD', recorded, CASE_COUNTS]
}
