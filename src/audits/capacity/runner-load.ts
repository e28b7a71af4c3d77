import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import { readEnv, usesContainerHooks } from '#/audits/contract/runner-template.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { readLimitRange, refusalsBy, withDefaults } from '#/core/kubernetes/limit-range.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { podRequests } from '#/core/kubernetes/pod-request.ts'
import type { Amounts } from '#/core/kubernetes/quantity.ts'
import { meetsExpression } from '#/core/kubernetes/label-selector.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { emptyPoolsFor, openNodes, runnerSpec } from '#/core/fleet/set-placement.ts'

/** One runner of a set as the scheduler sees it, and which nodes fit it. */
export type RunnerLoad = {
  readonly set: ScaleSet
  /** After admission. */
  readonly spec: Fields
  readonly each: Amounts
  /** Two of them cannot share a node, no matter how much room there is. */
  readonly isAloneOnNode: boolean
  /** Nodes of runner pools that fit it, including cordoned and not ready ones. */
  readonly open: readonly NodeRecord[]
  /** Declared pools without nodes that would fit it. */
  readonly emptyPools: readonly string[]
  /** Why the API server would refuse its pod. */
  readonly refusals: readonly string[]
}

export function runnerLoad(fleet: Fleet, set: ScaleSet): RunnerLoad {
  const ranges = fleet
    .rows('limitranges')
    .map(readLimitRange)
    .filter(({ namespace }) => namespace === set.namespace)
  const spec = withDefaults(runnerSpec(set, fleet.rows('runtimeclasses')), ranges)
  return {
    set,
    spec,
    each: withJobPod(set, podRequests(spec, fleet.overheads)),
    isAloneOnNode: hasHostPort(spec) || keepsAway(set, spec),
    open: openNodes(fleet, set),
    emptyPools: emptyPoolsFor(fleet, set),
    refusals: ranges.flatMap((range) => refusalsBy(range, spec)),
  }
}

/** With container hooks that require a job container every job has its own pod: two slots per runner. */
function withJobPod(set: ScaleSet, requests: Amounts): Amounts {
  const required = readEnv(templateRunner(set.template), 'ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER')
  const isRequired = required.kind === 'text' && required.text === 'true'
  return usesContainerHooks(set) && isRequired ? new Map([...requests, ['pods', 2]]) : requests
}

function hasHostPort(spec: Fields): boolean {
  const isHost = at(spec, 'hostNetwork') === true
  return listAt(spec, 'containers').some((container) =>
    listAt(container, 'ports').some(
      (port) => (numberAt(port, 'hostPort') ?? 0) > 0 || (isHost && numberAt(port, 'containerPort') !== null),
    ),
  )
}

const HOSTNAME = 'kubernetes.io/hostname'

/** A required anti-affinity against runners of the same set on one node. */
function keepsAway(set: ScaleSet, spec: Fields): boolean {
  const labels: Fields = {
    ...set.labels,
    ...toFields(at(set.templateMetadata, 'labels')),
    'app.kubernetes.io/component': 'runner',
    'actions-ephemeral-runner': 'True',
  }
  const terms = listAt(spec, 'affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  return terms.some((term) => textAt(term, 'topologyKey') === HOSTNAME && isSelected(at(term, 'labelSelector'), labels))
}

function isSelected(selector: unknown, labels: Fields): boolean {
  const equal = Object.entries(toFields(at(selector, 'matchLabels')))
  const expressions = listAt(selector, 'matchExpressions')
  // No selector matches nothing, an empty one matches everything.
  return (
    selector !== undefined &&
    equal.every(([key, value]) => labels[key] === value) &&
    // ARC adds labels that are not known here, so that one is missing proves nothing.
    expressions.every(
      (expression) =>
        /^(?:In|Exists)$/.test(textAt(expression, 'operator') ?? '') && meetsExpression(expression, labels),
    )
  )
}
