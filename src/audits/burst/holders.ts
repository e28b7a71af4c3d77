import type { Holder } from '#/core/audit/finding.ts'
import type { Runner } from '#/core/fleet/fleet.ts'
import { jobProofs } from '#/core/fleet/fleet.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'

/** Which jobs run on the lane's runners. ARC records no times: only GitHub knows since when. */
export function listHolders(runners: readonly Runner[], running: readonly FleetJob[]): readonly Holder[] {
  const busy = runners.filter((runner) => jobProofs(runner).length > 0)
  const known = new Set(busy.map(({ runnerName }) => runnerName))
  const recorded = busy.map(({ job, githubJob, runnerName }): Holder => ({
    repository: job?.repository ?? githubJob?.repository ?? null,
    workflow: job?.workflow ?? githubJob?.workflow ?? null,
    runner: runnerName,
    since: printTime(githubJob?.startedAt ?? null),
  }))
  const elsewhere = running.flatMap(({ runner, repository, workflow, startedAt }): readonly Holder[] =>
    runner === null || known.has(runner) ? [] : [{ repository, workflow, runner, since: printTime(startedAt) }],
  )
  return [...recorded, ...elsewhere].toSorted((a, b) => (a.since ?? '~').localeCompare(b.since ?? '~'))
}

/** As GitHub and Kubernetes write times: without fractions. */
export function printTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

/** Most first. */
export function holdingRepositories(
  holders: readonly Holder[],
): readonly { readonly name: string; readonly holds: number }[] {
  const counts = new Map<string, number>()
  for (const { repository } of holders) {
    if (repository !== null) counts.set(repository, (counts.get(repository) ?? 0) + 1)
  }
  return [...counts].map(([name, holds]) => ({ name, holds })).toSorted((a, b) => b.holds - a.holds)
}
