import type { Finding } from './finding.ts'
import type { Fleet, Runner } from '#/core/fleet/fleet.ts'
import { jobProofs, listRunners } from '#/core/fleet/fleet.ts'
import { isWaiting } from '#/core/fleet/github-facts.ts'
import { isDown, listenerStates } from '#/core/fleet/listener-state.ts'
import type { ListenerState } from '#/core/fleet/listener-state.ts'
import { joinSetParts, setKey } from '#/core/fleet/set-parts.ts'
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
  /** The state of a listener of the lane that is down; null if none is known to be. */
  readonly listenerDown: string | null
}

export function laneSummaries(fleet: Fleet, burst: readonly Finding[]): readonly LaneSummary[] {
  const limiters = new Map(
    burst.filter(({ fields }) => fields?.['firstLimiter'] === true).map((finding) => [finding.subject.name, finding]),
  )
  const states = listenerStates(fleet, joinSetParts(fleet))
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
      listenerDown: findDown(lane, states),
    }
  })
}

function findDown({ sets }: Lane, states: ReadonlyMap<string, ListenerState>): string | null {
  for (const set of sets) {
    const state = states.get(setKey(set))
    if (state !== undefined && isDown(state)) return state.condition
  }
  return null
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

export function laneSentence(lane: LaneSummary): string {
  const { label, waiting, busy, idle, starting, max } = lane
  const runners =
    busy === null
      ? 'runners unknown'
      : `${busy} busy, ${idle} idle, ${starting} not ready, ${max === null ? 'no maximum' : `maximum ${max}`}`
  const queue = waiting === null ? 'queue unknown' : `${waiting} waiting`
  return `${label}: ${queue}, ${runners}; ${describeLimit(lane)}`
}

/** A rollover is without a listener for a while: that alone is no alarm. */
function describeDown(condition: string): string {
  return condition === 'missing' || condition === 'stopped'
    ? 'it has no listener now'
    : `a listener is down (${condition})`
}

/** A lane whose listener is down is not well, whatever waits: it never reads as if nothing held it back. */
function describeLimit({ waiting, firstLimiter, admits, listenerDown }: LaneSummary): string {
  const down = listenerDown === null ? '' : describeDown(listenerDown)
  if (firstLimiter !== null) {
    const first = `first limiter ${firstLimiter}${admits === null ? '' : ` (admits ${admits})`}`
    return down === '' || firstLimiter === 'listener-unhealthy' ? first : `${first}, and ${down}`
  }
  if (down !== '') return waiting === 0 ? `nothing waits, but ${down}` : down
  if (waiting === 0) return 'nothing waits'
  return `no ${waiting === null ? 'known ' : ''}limiter`
}
