import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { CASE_COUNTS } from '#/cli/api-client/stored-death.ts'
import type { TemporaryBundle } from '#/cli/collect/temporary-bundle.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { listCommand } from '#/cli/why/from-store.ts'
import { parseSubjectArgument } from '#/core/evidence/subject-argument.ts'
import { runIn } from '#/core/evidence/subject-run.ts'

/** For a subject that is neither live nor recorded. */
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
          'events of a deleted pod are kept for an hour; use --last-seen, --audit-log, or the URL of the job',
          'list recorded deaths: signalbox deaths --kind all',
        ]
  return new CommandFailure(EXIT.blind, `no source knows ${unfound.join(', ')}`, advice)
}

function adviceOnJob(argument: string): readonly string[] {
  const run = runIn(argument)
  if (run === null) {
    return ['use the URL of the job or its run, or the pod', 'list recorded deaths: signalbox deaths --kind all']
  }
  const recorded = `list recorded deaths: ${listCommand('--job', argument)}`
  return ['without GitHub, use the pod: signalbox why POD', recorded, CASE_COUNTS]
}
