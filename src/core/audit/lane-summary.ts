import type { Finding } from './finding.ts'
import type { Fleet, Runner } from '#/core/fleet/fleet.ts'
import { jobProofs, listRunners } from '#/core/fleet/fleet.ts'
import { isWaiting } from '#/core/fleet/github-facts.ts'
import { isLaneJob } from '#/core/fleet/lane.ts'
import type { Lane } from '#/core/fleet/lane.ts'

/** One lane in one line. Null is unknown: the source was blind. */
export type LaneSummary = {
  readonly label: string
  readonly waiting: number | null
  readonly busy: number | null
  readonly idle: number | null
  readonly starting: number | null
  /** Null means unlimited. */
  readonly max: number | null
  readonly firstLimiter: string | null
  readonly admits: number | null
}

export function laneSummaries(fleet: Fleet, burst: readonly Finding[]): readonly LaneSummary[] {
  const limiters = new Map(
    burst.filter(({ fields }) => fields?.['firstLimiter'] === true).map((finding) => [finding.subject.name, finding]),
  )
  return fleet.lanes.map((lane) => {
    const limiter = limiters.get(lane.label) ?? limiters.get(lane.sets[0]?.name ?? '')
    const admits = limiter?.fields?.['admits']
    return {
      label: lane.label,
      waiting: fleet.saw('github/queued-jobs')
        ? fleet.jobs.filter((job) => isWaiting(job) && isLaneJob(lane, job)).length
        : null,
      ...countRunners(fleet, lane),
      max: lane.declaredMax,
      firstLimiter: limiter?.class ?? null,
      admits: typeof admits === 'number' ? admits : null,
    }
  })
}

function countRunners(fleet: Fleet, lane: Lane): Pick<LaneSummary, 'busy' | 'idle' | 'starting'> {
  if (!fleet.saw('kubernetes/ephemeralrunners')) return { busy: null, idle: null, starting: null }
  const runners = lane.sets.flatMap((set) => listRunners(fleet, set)).filter(({ deletedAt }) => deletedAt === null)
  const counts = { busy: 0, idle: 0, starting: 0 }
  for (const runner of runners) counts[runnerState(runner)] += 1
  return counts
}

function runnerState(runner: Runner): 'busy' | 'idle' | 'starting' {
  if (jobProofs(runner).length > 0) return 'busy'
  return runner.ready === true ? 'idle' : 'starting'
}

export function laneSentence({ label, waiting, busy, idle, starting, max, firstLimiter, admits }: LaneSummary): string {
  const runners =
    busy === null
      ? 'runners unknown'
      : `${busy} busy, ${idle} idle, ${starting} not ready, ${max === null ? 'no maximum' : `maximum ${max}`}`
  const queue = waiting === null ? 'queue unknown' : `${waiting} waiting`
  const limit =
    firstLimiter === null
      ? `no ${waiting === null ? 'known ' : ''}limiter`
      : `first limiter ${firstLimiter}${admits === null ? '' : ` (admits ${admits})`}`
  return `${label}: ${queue}, ${runners}; ${waiting === 0 && firstLimiter === null ? 'nothing waits' : limit}`
}
