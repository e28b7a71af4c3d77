import { textAt } from '#/core/basics/fields.ts'
import type { Fleet, Runner } from '#/core/fleet/fleet.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'
import { hasLabel, servesJob } from '#/core/fleet/lane.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { ExcerptLine, LogExcerpt } from '#/core/fleet/snapshot.ts'

/** A build log: of a runner's pod, of a pod that it started for a job, or the job's log at GitHub. */
export type BuildLog = {
  /** Its source name. */
  readonly source: string
  readonly set: ScaleSet | null
  readonly runner: Runner | null
  /** The runner's pod, if it exists. */
  readonly pod: PodRecord | null
  /** The runner's name at GitHub: the job ran there, even if the runner is gone. */
  readonly ranOn: string | null
  /** Null for a job's log at GitHub. */
  readonly container: string | null
  /** Without the lines of jobs that succeeded: their errors did no harm. */
  readonly lines: readonly ExcerptLine[]
}

const SUCCEEDED = 'completed with result: Succeeded'

/** Log lines that every audit of build logs also needs. */
export const BUILD_MENTIONS: readonly string[] = [SUCCEEDED]

export function buildLogs(fleet: Fleet): readonly BuildLog[] {
  const sets = new Map(fleet.sets.map((set) => [`${set.namespace}/${set.name}`, set]))
  const runners = new Map(fleet.runners.map((runner) => [`${runner.namespace}/${runner.name}`, runner]))
  const podBuildLogs = podLogs(fleet).flatMap((log) => toBuildLog(fleet, log, { sets, runners }))
  return [...podBuildLogs, ...jobLogs(fleet, sets)]
}

type Known = { readonly sets: ReadonlyMap<string, ScaleSet>; readonly runners: ReadonlyMap<string, Runner> }

function podLogs({ snapshot }: Fleet): readonly LogExcerpt[] {
  return snapshot.logs.kind === 'seen' ? snapshot.logs.value.filter(({ lines }) => lines.length > 0) : []
}

function toBuildLog(fleet: Fleet, log: LogExcerpt, { sets, runners }: Known): readonly BuildLog[] {
  const { namespace, container } = log
  const own = fleet.podAt(namespace, log.pod)
  // ARC's hooks label the job pods with the runner's name.
  const name = textAt(own?.labels, 'runner-pod') ?? log.pod
  const runner = runners.get(`${namespace}/${name}`) ?? null
  const pod = fleet.podAt(namespace, name)
  const isRunner = textAt(pod?.labels, 'app.kubernetes.io/component') === 'runner'
  if (runner === null && !isRunner) return []
  const setName = runner?.setName ?? textAt(pod?.labels, 'actions.github.com/scale-set-name') ?? ''
  const source = `logs/${namespace}/${log.pod}/${container}`
  const set = sets.get(`${namespace}/${setName}`) ?? null
  return [{ source, set, runner, pod, ranOn: null, container, lines: afterSuccess(log.lines) }]
}

function afterSuccess(lines: readonly ExcerptLine[]): readonly ExcerptLine[] {
  return lines.slice(lines.findLastIndex(({ text }) => text.includes(SUCCEEDED)) + 1)
}

function jobLogs(fleet: Fleet, sets: Known['sets']): readonly BuildLog[] {
  const logs = fleet.snapshot.jobLogs
  if (logs?.kind !== 'seen') return []
  const jobs = new Map(fleet.jobs.map((job) => [job.id, job]))
  const runners = new Map(fleet.runners.map((runner) => [runner.runnerName, runner]))
  return logs.value.flatMap(({ job: id, lines }) => {
    const job = jobs.get(id)
    if (lines.length === 0 || job?.conclusion === 'success') return []
    const owner = job === undefined ? NO_OWNER : findLogOwner(fleet, job, { sets, runners })
    return [{ source: `github/logs/${id}`, ...owner, container: null, lines }]
  })
}

type LogOwner = Pick<BuildLog, 'set' | 'runner' | 'pod' | 'ranOn'>

const NO_OWNER: LogOwner = { set: null, runner: null, pod: null, ranOn: null }

function findLogOwner(fleet: Fleet, job: FleetJob, { sets, runners }: Known): LogOwner {
  const runner = runners.get(job.runner ?? '') ?? null
  const named = runner === null ? undefined : sets.get(`${runner.namespace}/${runner.setName}`)
  return { set: named ?? onlySetFor(fleet.sets, job), runner, pod: runner?.pod ?? null, ranOn: job.runner }
}

/** A runner that is gone is matched by its job's labels, if only one set serves them. */
function onlySetFor(sets: readonly ScaleSet[], job: FleetJob): ScaleSet | null {
  const [first, ...more] = sets.filter((set) => servesJob(set, job) || job.labels.some((label) => hasLabel(set, label)))
  return first !== undefined && more.length === 0 ? first : null
}
