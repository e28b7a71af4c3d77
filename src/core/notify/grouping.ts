import type { Death } from '#/core/recorder/death.ts'

/** What the deaths of a group share. */
export type Shared =
  | { readonly by: 'node'; readonly node: string }
  | { readonly by: 'pool'; readonly pool: string; readonly cause: string }

/** In order of the time of death. */
export type Group = { readonly shared: Shared; readonly deaths: readonly Death[] }

export function sharedKey(shared: Shared): string {
  return shared.by === 'node' ? `node ${shared.node}` : `pool ${shared.pool} ${shared.cause}`
}

export function findShared(death: Death, by: Shared['by']): Shared | null {
  if (by === 'pool') return { by, pool: death.pool ?? death.namespace, cause: death.cause }
  return death.node === null ? null : { by, node: death.node }
}

/**
 * Groups deaths that share a node, or a pool and a cause, with at most the window between two deaths. The largest group is
 * taken first, so a pool that breaks on ten nodes is one group, and so is a node that takes three pools down. The order in
 * which the deaths arrive does not matter.
 */
export function groupDeaths(deaths: readonly Death[], windowMs: number): readonly Group[] {
  const sorted = deaths.toSorted(byTime)
  const bins = buildBins(sorted, windowMs)
  const groups: Group[] = []
  const grouped = new Set<Death>()
  for (let largest = largestIn(bins); largest !== null && largest.deaths.length > 1; largest = largestIn(bins)) {
    groups.push(largest)
    for (const death of largest.deaths) grouped.add(death)
    // Only groups that lost a death to the one taken are computed again.
    const touched = new Set(largest.deaths.flatMap((death) => sharedWays(death).map(sharedKey)))
    for (const key of touched) {
      const bin = bins.get(key)
      if (bin !== undefined)
        bins.set(
          key,
          buildBin(
            bin.shared,
            bin.deaths.filter((death) => !grouped.has(death)),
            windowMs,
          ),
        )
    }
  }
  const single = sorted.filter((death) => !grouped.has(death)).map(alone)
  return [...groups, ...single].toSorted(compareGroups)
}

export function byTime(a: Death, b: Death): number {
  return a.diedAt - b.diedAt || compareTexts(a.uid, b.uid)
}

function alone(death: Death): Group {
  const shared = findShared(death, 'node') ?? { by: 'pool', pool: death.pool ?? death.namespace, cause: death.cause }
  return { shared, deaths: [death] }
}

/** The largest first; at equal size a node before a pool, then the earlier. */
function compareGroups(a: Group, b: Group): number {
  const byNode = Number(b.shared.by === 'node') - Number(a.shared.by === 'node')
  const byStart = (a.deaths[0]?.diedAt ?? 0) - (b.deaths[0]?.diedAt ?? 0)
  const bySize = b.deaths.length - a.deaths.length
  return bySize || byNode || byStart || compareTexts(sharedKey(a.shared), sharedKey(b.shared))
}

/** All deaths that share something, and the largest group among them. */
type Bin = { readonly shared: Shared; readonly deaths: readonly Death[]; readonly largest: Group | null }

function buildBins(sorted: readonly Death[], windowMs: number): Map<string, Bin> {
  const bins = new Map<string, { readonly shared: Shared; readonly deaths: Death[] }>()
  for (const death of sorted) {
    for (const shared of sharedWays(death)) {
      const key = sharedKey(shared)
      const bin = bins.get(key) ?? { shared, deaths: [] }
      bin.deaths.push(death)
      bins.set(key, bin)
    }
  }
  return new Map([...bins].map(([key, { shared, deaths }]) => [key, buildBin(shared, deaths, windowMs)]))
}

function sharedWays(death: Death): readonly Shared[] {
  return (['node', 'pool'] as const).flatMap((by) => findShared(death, by) ?? [])
}

function buildBin(shared: Shared, deaths: readonly Death[], windowMs: number): Bin {
  const runs: Death[][] = []
  for (const death of deaths) {
    const run = runs.at(-1)
    if (run !== undefined && death.diedAt - (run.at(-1)?.diedAt ?? 0) <= windowMs) run.push(death)
    else runs.push([death])
  }
  const largest = runs.map((run): Group => ({ shared, deaths: run })).toSorted(compareGroups)[0] ?? null
  return { shared, deaths, largest }
}

function largestIn(bins: ReadonlyMap<string, Bin>): Group | null {
  let best: Group | null = null
  for (const { largest } of bins.values()) {
    if (largest !== null && (best === null || compareGroups(largest, best) < 0)) best = largest
  }
  return best
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
