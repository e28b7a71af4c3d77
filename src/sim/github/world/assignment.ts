import { listGroups, changeRunner } from './runner-lifecycle.ts'
import type { SimJob, SimRunner } from './world-state.ts'
import type { Tables } from './world-tables.ts'
import { nameKey, requireRow } from './world-tables.ts'

export type Assignment = { readonly job: SimJob; readonly runner: SimRunner }

/**
 * Every idle online runner gets a fitting queued job. A runner is bound to labels, a group and a scope, never to a job:
 * the one that it was minted for is as good as any other.
 */
export function assign(tables: Tables): readonly Assignment[] {
  const given = new Set([...tables.runners.values()].flatMap((runner) => runner.job?.id ?? []))
  const queued = [...tables.jobs.values()].filter((job) => job.status === 'queued')
  const waiting = tables.rules.order === 'any' ? tables.seeded.shuffled(queued) : queued
  const assignments: Assignment[] = []
  for (const runner of tables.runners.values()) {
    if (!runner.online || runner.job !== null) continue
    const job = waiting.find((candidate) => !given.has(candidate.id) && fits(tables, candidate, runner))
    if (job === undefined) continue
    given.add(job.id)
    const busy = changeRunner(tables, runner.id, { job: { id: job.id, since: tables.clock.now() } })
    assignments.push({ job, runner: busy })
  }
  return assignments
}

function fits(tables: Tables, job: SimJob, runner: SimRunner): boolean {
  const offered = new Set(runner.labels.map(nameKey))
  return reaches(tables, runner, job.repository) && job.labels.every((label) => offered.has(nameKey(label)))
}

function reaches(tables: Tables, runner: SimRunner, fullName: string): boolean {
  if (runner.scope.kind === 'repository') return nameKey(runner.scope.fullName) === nameKey(fullName)
  const repository = requireRow(tables.repositories, nameKey(fullName), 'repository')
  if (nameKey(repository.owner.login) !== nameKey(runner.scope.login)) return false
  const group = listGroups(tables, runner.scope.login).find(({ id }) => id === runner.group.id)
  if (group === undefined || (!repository.private && !group.allowsPublicRepositories)) return false
  switch (group.visibility) {
    case 'all':
      return true
    case 'private':
      return repository.private
    case 'selected':
      return group.repositories.some((name) => nameKey(name) === nameKey(fullName))
  }
}
