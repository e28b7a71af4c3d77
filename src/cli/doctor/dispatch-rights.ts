import type { Check } from '#/cli/doctor/check.ts'
import { ok } from '#/cli/doctor/check.ts'
import { askRights, judgeRights, UNREACHED } from '#/cli/doctor/kubernetes-rights.ts'
import type { Right } from '#/cli/doctor/observe-rights.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

const TOKEN_REVIEWS: Resource = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'tokenreviews',
  namespaced: false,
}

/** The same as deploy/dispatch/role.yaml; a test compares them. */
export const DISPATCH_RIGHTS: readonly Right[] = [
  {
    resource: RESOURCES.runnerPools,
    verbs: ['list', 'watch', 'patch'],
    cost: 'pools are not read, or not drained when they are deleted',
    ...needed(),
  },
  {
    resource: RESOURCES.runnerPools,
    subresource: 'status',
    verbs: ['patch'],
    cost: 'the status of a pool is not written',
    recording: true,
  },
  {
    resource: RESOURCES.pods,
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    cost: 'runner pods are not created, or not removed',
    ...needed(),
  },
]

/** The same as the ClusterRole of dispatch in the chart; a test compares them. */
export const DISPATCH_CLUSTER_RIGHTS: readonly Right[] = [
  {
    resource: RESOURCES.nodes,
    verbs: ['list', 'watch'],
    cost: 'idle pods stay on cordoned nodes, and too many start on one node',
    recording: true,
  },
  {
    resource: TOKEN_REVIEWS,
    verbs: ['create'],
    cost: 'no pod is given a job: its token cannot be checked',
    ...needed(),
  },
]

function needed(): Pick<Right, 'recording' | 'vital'> {
  return { recording: true, vital: true }
}

export const dispatchRights: Check = {
  id: 'dispatch-rights',
  title: 'Dispatch rights',
  check: async (context) => {
    const isFromFiles = (context.config.dispatch?.pools ?? null) !== null
    const rights = [...DISPATCH_RIGHTS, ...DISPATCH_CLUSTER_RIGHTS].filter(
      ({ resource }) => !isFromFiles || resource !== RESOURCES.runnerPools,
    )
    const asked = await askRights(context, rights)
    if (asked === null) return UNREACHED
    const result = judgeRights(asked)
    return result.kind === 'ok' ? ok(`all ${asked.length} rights that own pools need`) : result
  },
}
