import type { Question } from '#/core/audit/audit.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'
import { isForHosted } from '#/core/fleet/github-facts.ts'
import { hasLabel, servesJob } from '#/core/fleet/lane.ts'
import { count, listSome } from './format.ts'

/** Labels that every self-hosted runner of its kind has: if another label is missing too, that one is the reason. */
const COMMON: ReadonlySet<string> = new Set(['self-hosted', 'linux', 'windows', 'macos', 'x64', 'arm', 'arm64'])

/**
 * Jobs whose labels nothing serves. Needs complete lists: a set or a runner that could not be read may serve them.
 * A scale set must have all labels of a job; a runner outside ARC may also serve it.
 */
export function unservedLabels(fleet: Fleet, { labels }: Question): readonly Finding[] {
  const sources = ['kubernetes/autoscalingrunnersets', 'github/queued-jobs', 'github/runners']
  if (!sources.every((source) => fleet.saw(source))) return []
  const asked = new Set(labels.map((label) => label.toLowerCase()))
  const served = servedBy(fleet)
  const unserved = fleet.jobs.filter(
    (job) =>
      job.status === 'queued' &&
      job.labels.length > 0 &&
      !isForHosted(job) &&
      (asked.size === 0 || job.labels.some((label) => asked.has(label.toLowerCase()))) &&
      !served(job),
  )
  return [...Map.groupBy(unserved, (job) => missingLabel(job, fleet))].map(([name, jobs]) =>
    unservedFinding(name, jobs, fleet),
  )
}

/** Many jobs have the same labels: each combination is looked up once. */
function servedBy(fleet: Fleet): (job: FleetJob) => boolean {
  const known = new Map<string, boolean>()
  const runners = new Set(
    fleet.githubRunners.map((one) =>
      one.labels
        .map((label) => label.toLowerCase())
        .toSorted()
        .join('\n'),
    ),
  )
  const kinds = [...runners].map((text) => new Set(text.split('\n')))
  const sets = fleet.sets.filter(({ deletedAt }) => deletedAt === null)
  return (job) => {
    const key = [job.repository ?? '', ...job.labels.map((label) => label.toLowerCase()).toSorted()].join('\n')
    const answer =
      known.get(key) ??
      (sets.some((set) => servesJob(set, job)) ||
        kinds.some((kind) => job.labels.every((label) => kind.has(label.toLowerCase()))))
    known.set(key, answer)
    return answer
  }
}

/** The missing label; if each label exists but no set has them together, all of them. */
function missingLabel({ labels }: FleetJob, { sets }: Fleet): string {
  const missing = labels.filter((label) => !sets.some((set) => hasLabel(set, label)))
  return missing.find((label) => !COMMON.has(label.toLowerCase())) ?? missing[0] ?? labels.join(', ')
}

function unservedFinding(name: string, jobs: readonly FleetJob[], { sets, now }: Fleet): Finding {
  const times = jobs.flatMap(({ createdAt }) => createdAt ?? [])
  const oldest = times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b))
  const repositories = [...new Set(jobs.flatMap(({ repository }) => repository ?? []))]
  const namesakes = sets.filter((set) => hasLabel(set, name))
  const [first] = jobs
  return {
    class: 'label-unserved',
    severity: 'warning',
    subject: { kind: 'Label', name },
    evidence: [
      `${count(jobs.length, 'job waits', 'jobs wait')} for runs-on [${first?.labels.join(', ') ?? name}], the oldest for ${printAge(oldest, now)}, from ${listSome(repositories) || 'an unknown repository'}`,
      namesakes.length === 0
        ? `no scale set has the label ${name}; served labels: ${listSome([...new Set(sets.flatMap(({ runsOn }) => runsOn))], 10) || 'none'}`
        : `${listSome(namesakes.map((set) => `${set.namespace}/${set.name} (${set.configUrl ?? 'no URL'})`))} has the label, but not for these repositories, or not all labels of the job`,
    ],
    hint: `correct runs-on in the workflow ${first?.workflow ?? ''} of ${repositories[0] ?? 'the repository'}, or add a scale set for ${name} in source`.replace(
      '  ',
      ' ',
    ),
    fields: { waiting: jobs.length, repositories },
  }
}
