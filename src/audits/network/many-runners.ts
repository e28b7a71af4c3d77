import type { FleetJob } from '#/core/fleet/github-facts.ts'
import { textAt } from '#/core/basics/fields.ts'
import { runnerDeaths } from '#/core/fleet/runner-death.ts'
import type { NetworkView } from './view.ts'
import { isIn } from './sign.ts'

/** One runner that ended unexpectedly. */
type End = {
  readonly name: string
  readonly namespace: string | null
  readonly node: string | null
  readonly at: number
  readonly how: string
}

export type Cluster = {
  readonly ends: readonly End[]
  /** What they have in common. */
  readonly place: 'node' | 'zone' | 'everywhere' | 'unknown'
  readonly node: string | null
  readonly zone: string | null
}

/** The largest group of runners that ended within two minutes of each other; null if it is too small. */
export function findCluster(view: NetworkView): Cluster | null {
  const { asked, window, fleet } = view
  const own = asked.runner
  const all = listEnds(view)
    .filter(({ at }) => isIn(at, window))
    .toSorted((a, b) => a.at - b.at)
  const ends = densest(
    all,
    fleet.thresholds.manyRunnersWindow,
    own === null || own.podEnd === null ? null : own.podName,
  )
  if (ends.length < fleet.thresholds.manyRunners) return null
  return { ends, ...findPlace(ends, view) }
}

function listEnds({ fleet, asked }: NetworkView): readonly End[] {
  const ends = new Map<string, End>()
  for (const job of fleet.jobs) {
    if (isLost(job))
      ends.set(job.runner, {
        name: job.runner,
        namespace: null,
        node: null,
        at: job.completedAt,
        how: `its job ${job.id} was lost`,
      })
  }
  // The pod's end is more exact: GitHub notices it minutes later.
  for (const { name, namespace, node, at, how } of runnerDeaths(fleet))
    ends.set(name, { name, namespace, node, at, how })
  const { runner, end } = asked
  if (runner !== null && asked.hasEnded) {
    const { podName, namespace, node, podEnd } = runner
    const how = (ends.get(podName) ?? ends.get(runner.name))?.how ?? 'the given runner'
    ends.delete(runner.name)
    ends.set(podName, {
      name: podName,
      namespace,
      node,
      at: podEnd ?? end,
      how,
    })
  }
  return [...ends.values()]
}

/** GitHub gave up the job: it is completed, but some of its steps are not. */
function isLost(job: FleetJob): job is FleetJob & { readonly runner: string; readonly completedAt: number } {
  const { status, conclusion, runner, completedAt, steps } = job
  if (status !== 'completed' || runner === null || completedAt === null) return false
  return (conclusion === 'failure' || conclusion === 'cancelled') && steps.some((step) => step.status !== 'completed')
}

/** The largest group; it must include the given runner if its own end is known. */
function densest(ends: readonly End[], width: number, member: string | null): readonly End[] {
  let best: readonly End[] = []
  let first = 0
  for (const [index, end] of ends.entries()) {
    while (end.at - (ends[first]?.at ?? end.at) > width) first += 1
    const size = index + 1 - first
    if (size <= best.length) continue
    const here = ends.slice(first, index + 1)
    if (member === null || here.some(({ name }) => name === member)) best = here
  }
  return best
}

function findPlace(ends: readonly End[], { nodeAt, fleet }: NetworkView): Omit<Cluster, 'ends'> {
  const nodes = new Set(ends.map(({ node }) => node))
  const [node = null] = nodes
  if (nodes.has(null)) return { place: 'unknown', node: null, zone: null }
  if (nodes.size === 1) return { place: 'node', node, zone: null }
  const findZone = (name: string | null): string | null =>
    textAt(nodeAt(name ?? '')?.labels, 'topology.kubernetes.io/zone')
  const zones = new Set([...nodes].map(findZone))
  const [zone = null] = zones
  const all = new Set(fleet.nodes.map(({ name }) => findZone(name)))
  // The zone of a removed node is unknown.
  if (zones.has(null) && all.size > 1) return { place: 'unknown', node: null, zone: null }
  const isOneZone = zones.size === 1 && zone !== null && all.size > 1
  return { place: isOneZone ? 'zone' : 'everywhere', node: null, zone: isOneZone ? zone : null }
}
