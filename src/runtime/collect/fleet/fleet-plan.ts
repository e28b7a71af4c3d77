import { FLEET_LISTS } from '#/runtime/collect/lists/list-plan.ts'
import type { ListPlan } from '#/runtime/collect/lists/list-plan.ts'

/** What of a fleet is read. */
export type FleetPlan = {
  readonly has: (source: string) => boolean
  readonly lists: readonly ListPlan[]
  /** Whose statistics or settings are wanted; null for all nodes. */
  readonly nodes: (source: NodeSource) => ReadonlySet<string> | null
}

export const NODE_SOURCES = ['kubernetes/stats', 'kubernetes/configz'] as const
export type NodeSource = (typeof NODE_SOURCES)[number]

const SETS = 'kubernetes/autoscalingrunnersets'
const RUNNERS = 'kubernetes/ephemeralrunners'

/** What has to be read to know what to ask for. */
const RESTS_ON: Readonly<Record<string, readonly string[]>> = {
  'kubernetes/stats': ['kubernetes/nodes'],
  'kubernetes/configz': ['kubernetes/nodes'],
  logs: ['kubernetes/pods'],
  'kubernetes/secrets': [
    SETS,
    'kubernetes/autoscalinglisteners',
    'kubernetes/deployments',
    'kubernetes/serviceaccounts',
  ],
  'github/runners': [SETS],
  'github/rate-limit': [SETS],
  'github/queued-jobs': [SETS, RUNNERS],
  'github/jobs': [RUNNERS],
  'github/annotations': [RUNNERS, 'github/jobs'],
}

/**
 * The plan for these sources and no others, so that a question about runners reads neither Secrets nor disks. Null is all
 * of the fleet.
 */
export function limitPlan(wanted: ReadonlySet<string> | null): FleetPlan {
  const sources = wanted === null ? null : withGrounds(wanted)
  const has = (source: string): boolean => sources === null || sources.has(source)
  return {
    has,
    lists: FLEET_LISTS.filter(({ name }) => has(`kubernetes/${name}`)),
    nodes: (source) => (wanted === null || wanted.has(source) ? null : namedNodes(wanted, source)),
  }
}

function withGrounds(wanted: ReadonlySet<string>): ReadonlySet<string> {
  const kinds = [...wanted].map(kindOfSource)
  return new Set([...kinds, ...kinds.flatMap((source) => RESTS_ON[source] ?? [])])
}

/** `kubernetes/stats/NODE` is one of `kubernetes/stats`, as each log is one of `logs`. */
function kindOfSource(source: string): string {
  if (source.startsWith('logs/')) return 'logs'
  return NODE_SOURCES.find((kind) => source.startsWith(`${kind}/`)) ?? source
}

function namedNodes(wanted: ReadonlySet<string>, source: NodeSource): ReadonlySet<string> {
  const prefix = `${source}/`
  return new Set([...wanted].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])))
}
