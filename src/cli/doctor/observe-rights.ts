import type { Resource } from '#/ports/kubernetes-resources.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

/** A right that watching beside ARC needs, and what is lost without it. */
export type Right = {
  readonly resource: Resource
  readonly subresource?: string
  readonly verbs: readonly string[]
  readonly cost: string
  /** Without it nothing works at all. */
  readonly vital?: true
}

const READ = ['get', 'list', 'watch'] as const

export const OBSERVE_RIGHTS: readonly Right[] = [
  { resource: RESOURCES.pods, verbs: READ, cost: 'no death is seen', vital: true },
  { resource: RESOURCES.pods, subresource: 'log', verbs: ['get'], cost: 'post-mortems have no log' },
  {
    resource: RESOURCES.events,
    verbs: ['list', 'watch'],
    cost: 'evictions, failed pulls and scheduling stay unexplained',
  },
  { resource: RESOURCES.nodes, verbs: READ, cost: 'a node that went away cannot be told from a pod that was deleted' },
  { resource: RESOURCES.autoscalingRunnerSets, verbs: READ, cost: 'scale sets are not audited' },
  { resource: RESOURCES.autoscalingListeners, verbs: READ, cost: 'a dead listener is not noticed' },
  { resource: RESOURCES.ephemeralRunnerSets, verbs: READ, cost: 'stuck generations are not noticed' },
  { resource: RESOURCES.ephemeralRunners, verbs: READ, cost: 'which job a runner had is known from GitHub alone' },
]
