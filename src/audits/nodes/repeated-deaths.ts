import { textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { untoleratedTaint } from '#/core/kubernetes/placement.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { knownRunnerContainer } from '#/core/kubernetes/runner-container.ts'
import type { RunnerDeath } from '#/core/fleet/runner-death.ts'
import { isOwnRunnerPod, runnerDeaths } from '#/core/fleet/runner-death.ts'

/** A node on which runners die, with the median of the others. */
export type DeadlyNode = {
  readonly node: string
  readonly deaths: readonly RunnerDeath[]
  readonly median: number
  /** How many nodes were compared. */
  readonly among: number
}

export function deadlyNodes(fleet: Fleet): readonly DeadlyNode[] {
  const { now, thresholds } = fleet
  const isNodes = blameable(fleet)
  const recent = runnerDeaths(fleet).filter(
    (death) => now - death.at <= thresholds.repeatedDeathsWindow && !death.isDisruption && isNodes(death),
  )
  const byNode = Map.groupBy(recent, ({ node }) => node ?? '')
  byNode.delete('')
  const counts = new Map(runnerNodes(fleet).map((name) => [name, 0]))
  for (const [name, deaths] of byNode) counts.set(name, deaths.length)
  const median = lowerMedian([...counts.values()])
  const bound = Math.max(thresholds.repeatedDeaths, thresholds.repeatedDeathsFactor * median)
  return [...byNode]
    .filter(([, deaths]) => deaths.length >= bound)
    .map(([node, deaths]) => ({ node, deaths: deaths.toSorted((a, b) => a.at - b.at), median, among: counts.size }))
}

/** Nodes that run runners or whose taints allow them: control planes would pull the median to 0. */
function runnerNodes({ nodes, pods, sets }: Fleet): readonly string[] {
  const carrying = pods.filter(isOwnRunnerPod).flatMap(({ node }) => node ?? [])
  const open = nodes.filter(
    (node) => sets.length === 0 || sets.some(({ template }) => untoleratedTaint(template, node) === null),
  )
  return [...new Set([...carrying, ...open.map(({ name }) => name)])]
}

/** The lower of two middle values: with two nodes the bad one would otherwise raise its own threshold. */
export function lowerMedian(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] ?? 0
}

/**
 * A runner that crashes at startup may have a broken image: that is the fault of its set on any node. It counts
 * against the node only if runners of the same set live on other nodes.
 */
function blameable({ pods, thresholds, now }: Fleet): (death: RunnerDeath) => boolean {
  const livedOn = new Map<string, Set<string>>()
  for (const pod of pods) {
    if (pod.node === null || !isOwnRunnerPod(pod) || measureLife(pod, now) < thresholds.crashLoopLife) continue
    const key = `${pod.namespace}/${textAt(pod.labels, 'actions.github.com/scale-set-name') ?? ''}`
    livedOn.set(key, (livedOn.get(key) ?? new Set()).add(pod.node))
  }
  return ({ namespace, set, node, livedMs }) => {
    if (livedMs === null || livedMs >= thresholds.crashLoopLife) return true
    const nodes = livedOn.get(`${namespace}/${set ?? ''}`) ?? new Set()
    return nodes.size > 1 || (nodes.size === 1 && !nodes.has(node ?? ''))
  }
}

function measureLife(pod: PodRecord, now: number): number {
  const state = knownRunnerContainer(pod)?.state
  if (state?.kind === 'running') return state.startedAt === null ? 0 : now - state.startedAt
  if (state?.kind !== 'terminated' || state.startedAt === null || state.finishedAt === null) return 0
  return state.finishedAt - state.startedAt
}
