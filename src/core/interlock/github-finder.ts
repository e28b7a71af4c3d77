import { textAt } from '#/core/basics/fields.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { findSource } from '#/core/fleet/find-source.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { parseScope } from '#/core/fleet/github-facts.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { CandidateSnapshot, GitHubRow } from './candidate-snapshot.ts'

type GitHubFinder = {
  readonly findRow: (state: RunnerState) => Observed<GitHubRow>
  readonly findUnfinishedJob: (state: RunnerState) => CandidateSnapshot['githubJob']['observed']
}

/** What GitHub knows of a runner. In doubt a row or a job is the runner's: refusing too much is better than removing it. */
export function githubFinder(fleet: Fleet): GitHubFinder {
  const byId = strangersById(fleet)
  const rows = Map.groupBy(fleet.githubRunners, ({ name }) => name.toLowerCase())
  const unfinished = fleet.jobs.filter(({ status }) => status !== 'completed')
  const byName = Map.groupBy(unfinished, ({ runner }) => (runner ?? '').toLowerCase())
  const queue = findSource(fleet.snapshot, 'github/queued-jobs')
  const single = findSource(fleet.snapshot, 'github/jobs')
  return {
    findRow: ({ runner, github }) => {
      switch (github.kind) {
        case 'listed':
          return findListed(runner, github, rows.get(runner.runnerName.toLowerCase()) ?? [])
        case 'absent':
          return (runner.runnerId === null ? undefined : byId.get(runner.runnerId)) ?? none()
        case 'unknown': {
          const list = findSource(fleet.snapshot, 'github/runners')
          return list.kind === 'blind' ? list : blind('unsupported', github.why)
        }
      }
    },
    findUnfinishedJob: ({ runner }) => {
      const name = runner.runnerName.toLowerCase()
      const job: FleetJob | null = runner.githubJob ?? (name === '' ? undefined : byName.get(name)?.[0]) ?? null
      if (job !== null) return seen({ id: job.id, status: job.status })
      if (queue.kind === 'blind') return queue
      // The queue is that of the repositories that were asked for: an organisation has others, whose jobs are seen one by one.
      if (single.kind === 'seen' || single.kind === 'none' || isOfRepository(runner)) return none()
      return blind(single.reason.code, `github/jobs: ${single.reason.detail}`)
    },
  }
}

/** GitHub gives it jobs of that repository alone. */
function isOfRepository({ raw }: RunnerState['runner']): boolean {
  const scope = parseScope(textAt(raw, 'spec', 'githubConfigUrl'))
  return scope !== null && !scope.isEnterprise && scope.repository !== null
}

/**
 * Its id is what GitHub is asked to remove, and ids are not unique across organisations: an id that is not surely its own may
 * be that of another runner.
 */
function findListed(
  { runnerId }: RunnerState['runner'],
  { isOnline, isBusy }: Extract<RunnerState['github'], { kind: 'listed' }>,
  namesakes: Fleet['githubRunners'],
): Observed<GitHubRow> {
  const ids = new Set(namesakes.flatMap(({ id }) => id ?? []))
  const [first = null] = ids
  const id = runnerId ?? first
  // Whichever it is, one of them works.
  if (isBusy) return seen({ id, isOnline, isBusy })
  if (runnerId !== null && first !== null && !ids.has(runnerId)) {
    return blind('unsupported', `GitHub lists its name with the id ${first}, and its record has ${runnerId}`)
  }
  return runnerId === null && ids.size > 1
    ? blind('unsupported', `GitHub lists ${ids.size} runners of its name, and its record has no id`)
    : seen({ id, isOnline, isBusy })
}

/** Rows of the list that belong to no runner by name: one with our runner's id may be ours under another name. */
function strangersById({ githubRunners, runners }: Fleet): ReadonlyMap<number, Observed<GitHubRow>> {
  const names = new Set(runners.map(({ runnerName }) => runnerName.toLowerCase()))
  return new Map(
    githubRunners.flatMap(({ id, name, isOnline, isBusy }) =>
      id === null || names.has(name.toLowerCase()) ? [] : [[id, seen({ id, isOnline, isBusy })] as const],
    ),
  )
}
