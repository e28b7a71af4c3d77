import type { Run } from '#/core/evidence/subject-run.ts'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import type { Search } from './cluster-evidence.ts'
import { keptPod } from '#/runtime/collect/lists/last-seen.ts'
import type { KeptPod } from '#/runtime/collect/lists/last-seen.ts'
import type { CollectRequest } from '#/runtime/collect/request/request.ts'
import { isNamedAfter } from '#/runtime/collect/request/targets.ts'
import type { Wanted } from '#/runtime/collect/request/targets.ts'

/** Whom to look for in the cluster, and where. `jobs` are those that the question names. */
export function planSearch(
  { subject, lastSeen, places }: Pick<CollectRequest, 'subject' | 'lastSeen' | 'places'>,
  jobs: readonly WorkflowJobFacts[],
): Search {
  const kept = keptPod(lastSeen)
  const wanted = listWanted(subject, jobs, kept)
  const named = subject?.kind === 'pod' ? subject.namespace : null
  const inside = named === null && places.isInsideOnly ? places.namespaces : null
  return {
    wanted,
    run: findRun(subject, jobs),
    // Of another pod than the one that is asked for it would lead astray.
    uid: wanted.some(({ name }) => isNamedAfter(name, kept?.name ?? null)) ? (kept?.uid ?? null) : null,
    namespaces: named === null ? inside && new Set(inside) : new Set([named]),
    listNamespaces: [...new Set([named, kept?.namespace ?? null, ...places.namespaces])].filter(
      (name) => name !== null,
    ),
  }
}

function listWanted(
  subject: SubjectArgument | null,
  jobs: readonly WorkflowJobFacts[],
  kept: KeptPod | null,
): readonly Wanted[] {
  if (subject?.kind === 'pod') return [{ name: subject.name, job: null }]
  if (subject === null) return kept === null || kept.name === null ? [] : [{ name: kept.name, job: null }]
  return jobs.flatMap((job) => (job.runner === null ? [] : [{ name: job.runner, job }]))
}

/** For ARC's records, which know the run of a runner's job and not the number of the job. They know no attempts. */
function findRun(subject: SubjectArgument | null, jobs: readonly WorkflowJobFacts[]): Run | null {
  if (subject?.kind === 'run') return subject.attempt === null || jobs.length === 0 ? subject : null
  // A number alone, and no job has it: people paste those of runs too.
  const isBare = subject?.kind === 'job' && subject.repository === null && jobs.length === 0
  return isBare ? { site: null, repository: null, id: subject.id } : null
}
