import { CAUSES } from '#/causes/index.ts'
import type { Death } from '#/core/recorder/death.ts'
import { DEATH_STATES, QUEUES } from '#/core/recorder/lifecycle.ts'
import type { DeathState } from '#/core/recorder/lifecycle.ts'
import type { Counter, Labels, Metrics } from '#/runtime/metrics/metrics.ts'
import { WAITING_KINDS } from './progress.ts'
import type { DeathProgress } from './progress.ts'
import type { TrackedPod } from './watching/tracked-pods.ts'

/** Followed logs, stored evidence of open deaths, and gathered evidence that waits for its judgement. */
type HeldInMemory = 'logs' | 'stored' | 'gathered'

export type RecorderMetrics = {
  readonly died: (death: Death, secondsToStored: number) => void
  /** The live pods, and how many deaths wait for the database. */
  readonly watched: (pods: Iterable<Pick<TrackedPod, 'pool' | 'facts'>>, waiting: number, now: number) => void
  /** Deaths that are not judged yet, by state and by what they wait for. */
  readonly open: (states: ReadonlyMap<DeathState, number>, waiting: ReturnType<DeathProgress['counts']>) => void
  readonly held: (bytes: Readonly<Record<HeldInMemory, number>>) => void
}

const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
/** After this time without runners the series are dropped: a pool may be idle overnight, a node is gone sooner. */
export const POOL_GONE_MS = 24 * 3_600_000
export const NODE_GONE_MS = 3_600_000
/** Deaths in further pools and on further nodes are counted as `other`. */
export const MOST_POOLS = 200
export const MOST_NODES = 5000
const OTHER = 'other'

type Verdict = { readonly cause: string; readonly kind: string }

const KNOWN: readonly Verdict[] = [
  ...CAUSES.map(({ id, kind }) => ({ cause: id, kind })),
  { cause: 'unknown', kind: 'unknown' },
]

export function recorderMetrics(metrics: Metrics): RecorderMetrics {
  const deaths = metrics.counter('signalbox_deaths_total', 'Runners that ended, by cause, kind and pool.')
  const onNodes = metrics.counter('signalbox_node_deaths_total', 'Runners that died on the node, without clean ends.')
  const blind = metrics.counter('signalbox_blind_sources_total', 'Sources that could not be read for a death.')
  const seconds = metrics.histogram(
    'signalbox_verdict_seconds',
    'Seconds from the end of a runner to its verdict.',
    BUCKETS,
  )
  const watched = metrics.gauge('signalbox_watched_pods', 'Runner pods that are watched.')
  const outbox = metrics.gauge('signalbox_outbox_waiting', 'Deaths in memory that wait for the database.')
  const open = metrics.gauge('signalbox_open_deaths', 'Deaths that are not judged and reported yet, by state.')
  const waitingFor = metrics.gauge('signalbox_deaths_waiting', 'Deaths that are not judged yet, by what they wait for.')
  const held = metrics.gauge('signalbox_recorder_held_bytes', 'Evidence that the recorder holds in memory.')
  watched.set(0)
  outbox.set(0)
  // A clean end can have a cause that is usually a death.
  const verdicts = new Map(KNOWN.map((one) => [`${one.cause} ${one.kind}`, one]))
  // Prometheus sees no increase in a series that starts at 1, so each series starts at 0.
  const pools = knownNames(MOST_POOLS, POOL_GONE_MS, (pool) =>
    [...verdicts.values()].map(({ cause, kind }) => [deaths, { cause, kind, pool }]),
  )
  const nodes = knownNames(MOST_NODES, NODE_GONE_MS, (node) => [[onNodes, { node }]])
  return {
    died: (death, secondsToStored) => {
      const { cause, kind, recordedAt, missed } = death
      verdicts.set(`${cause} ${kind}`, { cause, kind })
      deaths.add(1, { cause, kind, pool: pools.meet(death.pool ?? '', recordedAt) })
      if (death.node !== null && kind !== 'not-a-death') onNodes.add(1, { node: nodes.meet(death.node, recordedAt) })
      // The time of a missed death is not precise enough.
      if (!missed) seconds.observe(Math.max(0, secondsToStored))
      for (const one of death.blind) if (wasAsked(one)) blind.add(1, { source: sourceFamily(one.source) })
    },
    watched: (pods, waiting, now) => {
      let count = 0
      for (const { pool, facts } of pods) {
        count += 1
        pools.meet(pool ?? '', now)
        if (facts.node !== null) nodes.meet(facts.node, now)
      }
      watched.set(count)
      outbox.set(waiting)
      pools.forgetGone(now)
      nodes.forgetGone(now)
    },
    open: (states, waiting) => {
      for (const state of OPEN_STATES) open.set(states.get(state) ?? 0, { state })
      for (const kind of WAITING_KINDS) {
        const count = [...(waiting.get(kind)?.values() ?? [])].reduce((sum, one) => sum + one, 0)
        waitingFor.set(count, { for: kind })
      }
    },
    held: (bytes) => {
      for (const [of, size] of Object.entries(bytes)) held.set(size, { of })
    },
  }
}

const OPEN_STATES = DEATH_STATES.filter((state) => QUEUES[state] !== null)

/** A bounded set of recently used names; the series of each are created and dropped with it. */
function knownNames(
  most: number,
  goneMs: number,
  listSeries: (name: string) => readonly (readonly [Counter, Labels])[],
) {
  const metAt = new Map<string, number>()
  return {
    /** The name to count under. */
    meet: (given: string, now: number): string => {
      const name = metAt.size < most || metAt.has(given) ? given : OTHER
      if (!metAt.has(name)) for (const [counter, labels] of listSeries(name)) counter.add(0, labels)
      metAt.set(name, now)
      return name
    },
    forgetGone: (now: number): void => {
      for (const [name, at] of metAt) {
        if (now - at <= goneMs) continue
        for (const [counter, labels] of listSeries(name)) counter.forget(labels)
        metAt.delete(name)
      }
    },
  }
}

/**
 * Only sources that the recorder read, or should have read, count. One that does not apply to this pod, such as ARC's
 * record for a pod that is not ARC's, does not.
 */
function wasAsked({ source, reason }: Death['blind'][number]): boolean {
  return !(reason.startsWith(`not-asked: ${source}`) && reason.endsWith('was not collected')) && !NO_NODE.test(reason)
}

const NO_NODE = /^not-asked: the node (?:of the pod )?is not known$/

/** Without pod and node names: label values must not grow with the fleet. */
function sourceFamily(source: string): string {
  const [first = '', second = ''] = source.split('/')
  return first === 'kubernetes' || first === 'github' ? `${first}/${second}` : first
}
