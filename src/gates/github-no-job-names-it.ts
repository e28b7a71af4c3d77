import { blind, none, seen } from '#/core/basics/observed.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { findStale, readAt } from '#/core/interlock/reading.ts'

const { now } = EXAMPLE_CANDIDATE

export const githubNoJobNamesIt: Gate = {
  id: 'github-no-job-names-it',
  proof: 'no job `in_progress` names this runner',
  about:
    "GitHub's list of jobs shows a job whose runner has gone offline, which the list of runners may show as not busy. Any job that is not completed and names the runner refuses. GitHub has no list of an organisation's jobs: for a runner of one, single jobs (github/jobs) must be readable besides the queues of the repositories that were asked for.",
  toSeeIt: 'give a GitHub credential that may read the jobs of the repositories (docs/configuration.md)',
  check: ({ githubJob, terms: { freshMs }, now: at }) => {
    const { observed } = githubJob
    if (observed.kind === 'blind') return cannotSee(observed.reason, githubJob)
    if (observed.kind === 'seen') {
      const { id, status } = observed.value
      return refuses(`job ${id ?? 'without an id'} (${status ?? 'no status'}) at GitHub names it`, githubJob)
    }
    const stale = findStale(githubJob, at, freshMs)
    return stale === null
      ? holds('no unfinished job at GitHub names it', githubJob)
      : cannotSee(stale.reason, githubJob)
  },
  examples: {
    holds: [{ when: 'the list of unfinished jobs was read and none names it', candidate: {} }],
    refuses: [
      {
        when: 'a job in progress names it',
        candidate: { githubJob: readAt(now, seen({ id: 76_348_428_905, status: 'in_progress' })) },
      },
      {
        when: 'a job that is queued again names it',
        candidate: { githubJob: readAt(now, seen({ id: 76_348_428_905, status: 'queued' })) },
      },
    ],
    blind: [
      { when: 'the jobs could not be read', candidate: { githubJob: readAt(now, blind('forbidden', '403')) } },
      { when: 'the list is old', candidate: { githubJob: readAt(now - 3_600_000, none()) } },
    ],
  },
}
