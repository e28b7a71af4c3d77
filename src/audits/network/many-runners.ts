import { textAt } from '#/core/basics/fields.ts'
import { listRunnerEnds } from './runner-ends.ts'
import type { RunnerEnd } from './runner-ends.ts'
import type { NetworkView } from './view.ts'
import { isIn } from './sign.ts'

/** One runner that ended, at the time of the clock that was chosen. */
type End = Pick<RunnerEnd, 'name' | 'namespace' | 'node' | 'how'> & { readonly at: number }

export type Cluster = {
  readonly ends: readonly End[]
  /** What they have in common. */
  readonly place: 'node' | 'zone' | 'everywhere' | 'unknown'
  readonly node: string | null
  readonly zone: string | null
}

/**
 * The largest group of runners that ended within two minutes of each other; null if it is too small. Ends are compared
 * by one clock: by their pods, by GitHub, or by the pod where it is known. A runner whose pod is gone is known by
 * GitHub alone, minutes later than its neighbours.
 */
export function findCluster(view: NetworkView): Cluster | null {
  const { asked, window, fleet } = view
  const { manyRunners, manyRunnersWindow } = fleet.thresholds
  const ends = listRunnerEnds(view)
  const clocks: readonly ((end: RunnerEnd) => number | null)[] = [
    ({ podAt, jobAt }) => podAt ?? jobAt,
    ({ podAt }) => podAt,
    ({ jobAt }) => jobAt,
  ]
  const groups = clocks.map((read) => {
    const timed = ends
      .flatMap((end) => toEnd(end, read(end)))
      .filter(({ at }) => isIn(at, window))
      .toSorted((a, b) => a.at - b.at)
    return densest(timed, manyRunnersWindow, memberAmong(timed, asked))
  })
  const largest = groups.reduce<readonly End[]>((most, one) => (one.length > most.length ? one : most), [])
  return largest.length < manyRunners ? null : { ends: largest, ...findPlace(largest, view) }
}

function toEnd({ name, namespace, node, how }: RunnerEnd, at: number | null): readonly End[] {
  return at === null ? [] : [{ name, namespace, node, how, at }]
}

/** The group must include the given runner if its end is known by this clock. */
function memberAmong(ends: readonly End[], { runner }: NetworkView['asked']): string | null {
  return ends.some(({ name }) => name === runner?.podName) ? (runner?.podName ?? null) : null
}

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
