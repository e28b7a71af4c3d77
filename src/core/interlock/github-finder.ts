import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { findSource } from '#/core/fleet/find-source.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
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
  const unfinished = fleet.jobs.filter(({ status }) => status !== 'completed')
  const byName = Map.groupBy(unfinished, ({ runner }) => (runner ?? '').toLowerCase())
  const jobs = findSource(fleet.snapshot, 'github/queued-jobs')
  return {
    findRow: ({ runner, github }) => {
      switch (github.kind) {
        case 'listed':
          return seen({
            id: runner.github?.id ?? runner.runnerId,
            isOnline: github.isOnline,
            isBusy: github.isBusy,
          })
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
      return jobs.kind === 'blind' ? jobs : none()
    },
  }
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
