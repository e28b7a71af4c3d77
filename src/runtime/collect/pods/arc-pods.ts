import { textAt } from '#/core/basics/fields.ts'
import { planContainers } from '#/runtime/collect/request/targets.ts'
import type { LogOrder } from './container-logs.ts'

const PART_OF = 'app.kubernetes.io/part-of'
const COMPONENT = 'app.kubernetes.io/component'

/** ARC's controller and its listeners. The runners themselves carry the listeners' `part-of` too. */
export function isArcPod(pod: object): boolean {
  if (isController(pod)) return true
  const partOf = textAt(pod, 'metadata', 'labels', PART_OF)
  return (
    partOf === 'gha-runner-scale-set' && textAt(pod, 'metadata', 'labels', COMPONENT) === 'runner-scale-set-listener'
  )
}

export function isController(pod: object): boolean {
  return textAt(pod, 'metadata', 'labels', PART_OF) === 'gha-rs-controller'
}

/** The pods that ARC's hooks make for the containers of a job name the runner's pod in a label. */
export function isHookPod(pod: object, runners: ReadonlySet<string>): boolean {
  return runners.has(textAt(pod, 'metadata', 'labels', 'runner-pod') ?? '')
}

/** A fleet may have a listener for each of hundreds of scale sets. */
const MOST_PODS = 50

export function arcLogOrders(pods: readonly object[], since: number): readonly LogOrder[] {
  return planLogs(pods.filter(isArcPod).slice(0, MOST_PODS), since)
}

export function hookLogOrders(
  pods: readonly object[],
  runners: ReadonlySet<string>,
  since: number,
): readonly LogOrder[] {
  return planLogs(pods.filter((pod) => isHookPod(pod, runners)).slice(0, MOST_PODS), since)
}

function planLogs(pods: readonly object[], since: number): readonly LogOrder[] {
  return pods.flatMap((pod) => {
    const [namespace, name] = [textAt(pod, 'metadata', 'namespace'), textAt(pod, 'metadata', 'name')]
    if (namespace === null || name === null) return []
    return planContainers(pod).map((container) => ({ namespace, pod: name, container, startedAt: null, since }))
  })
}
