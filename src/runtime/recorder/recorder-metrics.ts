import { CAUSES } from '#/causes/index.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { Counter, Labels, Metrics } from '#/runtime/metrics.ts'
import type { TrackedPod } from './tracked-pods.ts'

export type RecorderMetrics = {
  readonly died: (death: Death, secondsToStored: number) => void
  /** Who lives, and how many deaths wait for the database. */
  readonly watched: (pods: Iterable<Pick<TrackedPod, 'pool' | 'facts'>>, waiting: number, now: number) => void
}

const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
/** A pool without runners may only be idle over night; a node without any is soon gone. Then their series go, and begin anew. */
export const POOL_GONE_MS = 24 * 3_600_000
export const NODE_GONE_MS = 3_600_000
/** Deaths of further ones are counted under one name. */
export const MOST_POOLS = 200
export const MOST_NODES = 5000
const OTHER = 'other'

type Verdict = { readonly cause: string; readonly kind: string }

const KNOWN: readonly Verdict[] = [
  ...CAUSES.map(({ id, kind }) => ({ cause: id, kind })),
  { cause: 'unknown', kind: 'unknown' },
]

export function recorderMetrics(metrics: Metrics): RecorderMetrics {
  const deaths = metrics.counter('signalbox_deaths_total', 'Ends of runners by cause, kind and pool.')
  const onNodes = metrics.counter('signalbox_node_deaths_total', 'Runners that died on the node, clean ends left out.')
  const blind = metrics.counter('signalbox_blind_sources_total', 'Sources that could not be read for a post-mortem.')
  const seconds = metrics.histogram('signalbox_verdict_seconds', 'From the end of a runner to its verdict.', BUCKETS)
  const watched = metrics.gauge('signalbox_watched_pods', 'Runner pods that are watched.')
  const outbox = metrics.gauge('signalbox_outbox_waiting', 'Deaths that wait in memory for the database.')
  watched.set(0)
  outbox.set(0)
  // An end may be told as clean whose cause is mostly a death.
  const verdicts = new Map(KNOWN.map((one) => [`${one.cause} ${one.kind}`, one]))
  // A series that is born with its first death has no increase that Prometheus could see: each begins with a zero.
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
      // When one went that nobody saw go is not known well enough.
      if (!missed) seconds.observe(Math.max(0, secondsToStored))
      for (const one of death.blind) if (wasAsked(one)) blind.add(1, { source: familyOf(one.source) })
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
  }
}

/** Names that were met lately, so many at most; the series of each come and go with it. */
function knownNames(most: number, goneMs: number, seriesOf: (name: string) => readonly (readonly [Counter, Labels])[]) {
  const metAt = new Map<string, number>()
  return {
    /** The name to count under. */
    meet: (given: string, now: number): string => {
      const name = metAt.size < most || metAt.has(given) ? given : OTHER
      if (!metAt.has(name)) for (const [counter, labels] of seriesOf(name)) counter.add(0, labels)
      metAt.set(name, now)
      return name
    },
    forgetGone: (now: number): void => {
      for (const [name, at] of metAt) {
        if (now - at <= goneMs) continue
        for (const [counter, labels] of seriesOf(name)) counter.forget(labels)
        metAt.delete(name)
      }
    },
  }
}

/**
 * The recorder answers for each source that it asks, or would have asked. Of one that has nothing to do with this pod, as
 * ARC's record with a pod that is not ARC's, the evidence says nothing at all.
 */
function wasAsked({ source, reason }: Death['blind'][number]): boolean {
  return !reason.startsWith(`not-asked: the bundle has no ${source}`) && !NO_NODE.test(reason)
}

const NO_NODE = /^not-asked: the node (?:of the pod )?is not known$/

/** Without names of pods and nodes: a label must not grow with the fleet. */
function familyOf(source: string): string {
  const [first = '', second = ''] = source.split('/')
  return first === 'kubernetes' || first === 'github' ? `${first}/${second}` : first
}
